//! Single templates.

use api::query::flag;
use api::{Admin, Answer, Filters, Input, Json, OrgMember, Path, Query, Rejection, SentFilters};
use axum::extract::State;
use domain::Failure;
use domain::chat::template_draft::Category;
use domain::chat::{Template, TemplateEdit, TemplateId};
use domain::schema::TemplateDefinitionComponent;
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{edit, manage};
use crate::ChatContext;

/// The fields to change, at least one. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UpdateChatTemplate, min_properties = 1)]
pub(crate) struct UpdateTemplate {
    category: Option<Category>,
    /// All components of the template, with the limits of a new template. Headers with media must name them again.
    #[schema(value_type = Option<Vec<TemplateDefinitionComponent>>, min_items = 1, max_items = 4)]
    components: Option<Vec<Value>>,
    /// How long WhatsApp tries to deliver a message, in seconds, with the limits of a new template.
    #[schema(minimum = -1, maximum = 2592000)]
    message_send_ttl_seconds: Option<i64>,
}

impl Input for UpdateTemplate {
    const AT_LEAST_ONE: bool = true;
    type Checked = TemplateEdit;

    /// The values are validated once the template is known: their limits depend on its category.
    fn check(self, _context: &Context) -> Result<TemplateEdit, Failure> {
        let UpdateTemplate { category, components, message_send_ttl_seconds } = self;
        let not_an_object = components.iter().flatten().position(|component| !component.is_object());
        if let Some(index) = not_an_object {
            let param = format!("components[{index}]");
            return Err(Failure::invalid(&param, format!("{param} must be an object.")));
        }
        Ok(TemplateEdit { category, components, message_send_ttl_seconds })
    }
}

/// The query parameters of the deletion.
#[derive(Debug)]
pub(crate) struct Deletion {
    all_languages: bool,
}

impl Filters for Deletion {
    const NAMES: &'static [&'static str] = &["allLanguages"];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        Ok(Deletion { all_languages: sent.get("allLanguages", flag)?.unwrap_or(false) })
    }
}

/// The templates that were deleted.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatTemplateDeletion)]
pub(crate) struct Deleted {
    /// The ids of the templates.
    deleted: Vec<String>,
}

/// Get a WhatsApp template
///
/// Returns a template as it is stored. Syncs, notifications from WhatsApp and changes through this API keep it up to
/// date.
#[utoipa::path(get, path = "/v1/organization/chat/templates/{templateId}",
    operation_id = "organization.chat.templates.get", tag = "Templates",
    security(("adminKey" = []), ("session" = [])), params(("templateId" = inline(TemplateId), Path)),
    responses((status = 200, description = "The template", body = Template)))]
pub(crate) async fn get_template(
    State(chat): State<ChatContext>,
    caller: OrgMember,
    Path((id,)): Path<(TemplateId,)>,
) -> Result<Answer<Template>, Rejection> {
    let (_, stored) = manage::find(&chat.context.store.of(&caller.organization), &caller, &id).await?;
    Ok(Answer::ok(stored.template))
}

/// Edit a WhatsApp template
///
/// Edits a template at WhatsApp, which reviews it again. Only templates whose status is `APPROVED`, `REJECTED` or
/// `PAUSED` can be edited; an approved one keeps its category, and can be edited once in 24 hours and 10 times in 30
/// days. If a template was edited too often, the response is 409 with `Retry-After`.
#[utoipa::path(patch, path = "/v1/organization/chat/templates/{templateId}",
    operation_id = "organization.chat.templates.update", tag = "Templates", security(("adminKey" = [])),
    params(("templateId" = inline(TemplateId), Path)), request_body = UpdateTemplate,
    responses((status = 200, description = "The template", body = Template),
        (status = 409, description = "The template cannot be edited, or not at this time"),
        (status = 422, description = "WhatsApp rejected the edit"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn update_template(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(TemplateId,)>,
    body: Json<UpdateTemplate>,
) -> Result<Answer<Template>, Rejection> {
    Ok(Answer::ok(edit::edit(&chat, &caller, &id, &body.input).await?))
}

/// Delete a WhatsApp template
///
/// Deletes a template at WhatsApp and in this service; with `allLanguages`, all templates of its name. For 30 days,
/// WhatsApp does not accept a new template with the name of a deleted approved one.
#[utoipa::path(delete, path = "/v1/organization/chat/templates/{templateId}",
    operation_id = "organization.chat.templates.delete", tag = "Templates", security(("adminKey" = [])),
    params(("templateId" = inline(TemplateId), Path),
        ("allLanguages" = Option<bool>, Query, description = "Deletes the templates of all languages with the name of this one. `false` by default.")),
    responses((status = 200, description = "The deleted templates", body = Deleted),
        (status = 409, description = "The template's name is not known yet"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn delete_template(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(TemplateId,)>,
    Query(wanted): Query<Deletion>,
) -> Result<Answer<Deleted>, Rejection> {
    let deleted = manage::delete(&chat, &caller, &id, wanted.all_languages).await?;
    Ok(Answer::ok(Deleted { deleted }))
}
