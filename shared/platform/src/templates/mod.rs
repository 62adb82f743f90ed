//! The operations of the platform that manage the templates of an account.

mod graph;
mod simulator;

use async_trait::async_trait;
use domain::chat::{TemplateDraft, TemplateEdit};

use crate::error::PlatformResult;
use crate::types::{AccessToken, PlatformTemplate};

/// The operations of the platform that manage the templates of an account.
#[async_trait]
pub trait TemplateManagement: Send + Sync {
    /// Creates a template, which the platform reviews afterwards.
    async fn create_template(
        &self,
        token: &AccessToken,
        account: &str,
        draft: &TemplateDraft,
    ) -> PlatformResult<CreatedTemplate>;
    /// Changes a template, which the platform reviews again.
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

/// A template that the platform has just created. What it does not say is as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedTemplate {
    pub id: String,
    pub status: Option<String>,
    pub category: Option<String>,
}
