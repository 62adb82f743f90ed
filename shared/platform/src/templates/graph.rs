//! Templates in the platform's Graph API.

use async_trait::async_trait;
use domain::chat::{TemplateDraft, TemplateEdit};
use http::Method;
use serde_json::{Value, json};

use super::wire::{CreatedTemplateResponse, TEMPLATE_FIELDS, TemplateResponse};
use super::{CreatedTemplate, PlatformTemplate, TemplateManagement, TemplatePage};
use crate::error::PlatformResult;
use crate::graph::{Call, Graph, segment};
use crate::lists::{Edge, PAGE_SIZE};
use crate::vault::AccessToken;

#[async_trait]
impl TemplateManagement for Graph {
    async fn templates(&self, token: &AccessToken, account: &str, after: Option<&str>) -> PlatformResult<TemplatePage> {
        let mut query = vec![("fields", TEMPLATE_FIELDS), ("limit", PAGE_SIZE)];
        query.extend(after.map(|after| ("after", after)));
        let page: Edge<TemplateResponse> = self.call(token, Call::get(templates_of(account), &query)).await?;
        let after = page.after()?;
        Ok(TemplatePage { templates: page.data.into_iter().map(Into::into).collect(), after })
    }

    async fn create_template(
        &self,
        token: &AccessToken,
        account: &str,
        draft: &TemplateDraft,
    ) -> PlatformResult<CreatedTemplate> {
        let mut body = json!({
            "name": draft.name,
            "language": draft.language,
            "category": draft.category.as_str(),
            "components": draft.components,
        });
        if let Some(format) = draft.parameter_format {
            body["parameter_format"] = json!(format.as_str());
        }
        if let Some(seconds) = draft.message_send_ttl_seconds {
            body["message_send_ttl_seconds"] = json!(seconds);
        }
        let call = Call::with_body(Method::POST, templates_of(account), body);
        Ok(self.call::<CreatedTemplateResponse>(token, call).await?.into())
    }

    async fn edit_template(
        &self,
        token: &AccessToken,
        _account: &str,
        id: &str,
        edit: &TemplateEdit,
    ) -> PlatformResult<()> {
        let mut body = json!({});
        if let Some(category) = edit.category {
            body["category"] = json!(category.as_str());
        }
        if let Some(components) = &edit.components {
            body["components"] = Value::Array(components.clone());
        }
        if let Some(seconds) = edit.message_send_ttl_seconds {
            body["message_send_ttl_seconds"] = json!(seconds);
        }
        self.change(token, Call::with_body(Method::POST, segment(id), body)).await
    }

    async fn template(&self, token: &AccessToken, _account: &str, id: &str) -> PlatformResult<PlatformTemplate> {
        let call = Call::get(segment(id), &[("fields", TEMPLATE_FIELDS)]);
        Ok(self.call::<TemplateResponse>(token, call).await?.into())
    }

    async fn templates_named(
        &self,
        token: &AccessToken,
        account: &str,
        name: &str,
    ) -> PlatformResult<Vec<PlatformTemplate>> {
        let query = [("fields", TEMPLATE_FIELDS), ("name", name)];
        let listed: Vec<TemplateResponse> = self.whole_list(token, &templates_of(account), &query).await?;
        // The platform also returns templates whose names contain this one.
        let listed = listed.into_iter().map(PlatformTemplate::from);
        Ok(listed.filter(|template| template.name == name).collect())
    }

    async fn delete_template(
        &self,
        token: &AccessToken,
        account: &str,
        name: &str,
        id: Option<&str>,
    ) -> PlatformResult<()> {
        let mut query = vec![("name", name)];
        query.extend(id.map(|id| ("hsm_id", id)));
        self.change(token, Call::without_body(Method::DELETE, templates_of(account)).with_query(&query)).await
    }
}

fn templates_of(account: &str) -> String {
    format!("{}/message_templates", segment(account))
}
