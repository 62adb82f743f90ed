//! The message templates of an account.
//!
//! An account has a list of templates, one per name and language, which is read page by page. Creating or editing one
//! begins a review by the platform, whose outcome is notified. The simulated platform has a few templates in every
//! account, some of which change with each sync (`simulated_templates.rs`), and keeps created, edited and deleted ones
//! in the table; the name of a template selects the outcome of its review.

mod graph;
mod simulated_templates;
mod simulator;
mod wire;

use async_trait::async_trait;
use domain::chat::{TemplateDraft, TemplateEdit};
use serde_json::{Value, json};

use crate::error::PlatformResult;
use crate::vault::AccessToken;

/// The part of the port that manages the templates of an account.
#[async_trait]
pub trait TemplateManagement: Send + Sync {
    /// Returns a page of an account's templates; `after` is the cursor of the previous page.
    async fn templates(&self, token: &AccessToken, account: &str, after: Option<&str>) -> PlatformResult<TemplatePage>;
    /// Creates a template, which WhatsApp reviews afterwards.
    async fn create_template(
        &self,
        token: &AccessToken,
        account: &str,
        draft: &TemplateDraft,
    ) -> PlatformResult<CreatedTemplate>;
    /// Edits a template, which WhatsApp reviews again.
    async fn edit_template(
        &self,
        token: &AccessToken,
        account: &str,
        id: &str,
        edit: &TemplateEdit,
    ) -> PlatformResult<()>;
    /// Returns a template of an account.
    async fn template(&self, token: &AccessToken, account: &str, id: &str) -> PlatformResult<PlatformTemplate>;
    /// Returns the templates of an account with this name, one for each language.
    async fn templates_named(
        &self,
        token: &AccessToken,
        account: &str,
        name: &str,
    ) -> PlatformResult<Vec<PlatformTemplate>>;
    /// Deletes the template with this name and id; without an id, all templates with this name.
    async fn delete_template(
        &self,
        token: &AccessToken,
        account: &str,
        name: &str,
        id: Option<&str>,
    ) -> PlatformResult<()>;
}

/// A message template as the platform describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlatformTemplate {
    pub id: String,
    pub name: String,
    pub language: String,
    pub category: String,
    pub status: String,
    pub components: Value,
    pub parameter_format: Option<String>,
    /// `None` if the platform does not report it.
    pub message_send_ttl_seconds: Option<i64>,
    pub quality_score: Option<String>,
    pub rejected_reason: Option<String>,
}

/// A page of an account's templates.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePage {
    pub templates: Vec<PlatformTemplate>,
    /// The cursor of the next page; `None` on the last page.
    pub after: Option<String>,
}

/// A template that the platform has just created. Fields that the response leaves out keep the requested value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedTemplate {
    pub id: String,
    pub status: Option<String>,
    pub category: Option<String>,
}

/// The handle of an uploaded example, and the header that has it, as a JSON pointer into the components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderHandle {
    pub pointer: String,
    pub handle: String,
}

/// Returns valid components in the form that is sent to the platform, with the handles of the uploaded examples.
pub fn with_header_handles(components: &[Value], handles: impl IntoIterator<Item = HeaderHandle>) -> Vec<Value> {
    let mut all = Value::Array(components.to_vec());
    for HeaderHandle { pointer, handle } in handles {
        if let Some(header) = all.pointer_mut(&pointer) {
            header["example"] = json!({"header_handle": [handle]});
        }
    }
    match all {
        Value::Array(components) => components,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_get_their_handles_in_place_of_the_media() {
        let body = json!({"type": "BODY", "text": "Hello"});
        let header = |example: Value| json!({"type": "HEADER", "format": "IMAGE", "example": example});
        let medium = || header(json!({"mediaId": "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}));
        let handle =
            |pointer: &str, handle: &str| HeaderHandle { pointer: pointer.to_owned(), handle: handle.to_owned() };

        let sent = with_header_handles(&[body.clone(), medium()], [handle("/1", "4::a")]);
        assert_eq!(sent, [body.clone(), header(json!({"header_handle": ["4::a"]}))]);

        let cards = |first: Value, second: Value| json!({"type": "CAROUSEL", "cards": [{"components": [first]}, {"components": [second]}]});
        let places = ["/1/cards/0/components/0", "/1/cards/1/components/0"];
        let handles = [handle(places[0], "4::a"), handle(places[1], "4::b")];
        let sent = with_header_handles(&[body.clone(), cards(medium(), medium())], handles);
        let expected = cards(header(json!({"header_handle": ["4::a"]})), header(json!({"header_handle": ["4::b"]})));
        assert_eq!(sent, [body, expected]);
    }
}
