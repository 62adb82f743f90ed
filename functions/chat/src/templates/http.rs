use api::idempotency::Planned;
use api::{Admin, Answer, Input, Json, List, ListBy, ListQuery, Once, OrgMember, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use domain::chat::Template;
use domain::id::{ChatBusinessProfileId, Identifier as _};
use domain::schema::{TemplateCategory, TemplateStatus};
use runtime::{Context, logging};
use serde::{Deserialize, Serialize};
use store::{Change, SyncOutcome};
use utoipa::ToSchema;

use super::Sync;
use super::filter::OfProfile;
use crate::ChatContext;

/// The sync to run.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SyncChatTemplates)]
pub(crate) struct SyncTemplates {
    /// The WhatsApp account (business profile) whose templates are synced.
    #[schema(value_type = ChatBusinessProfileId)]
    chat_business_profile_id: String,
    /// Counts the changes without applying them. `false` by default.
    dry_run: Option<bool>,
}

impl Input for SyncTemplates {
    const REQUIRED: &'static [&'static str] = &["chatBusinessProfileId"];
    type Checked = Sync;

    fn check(self, _context: &Context) -> Result<Sync, Failure> {
        let param = "chatBusinessProfileId";
        Ok(Sync {
            profile: ChatBusinessProfileId::in_param(&self.chat_business_profile_id, param)?,
            dry_run: self.dry_run.unwrap_or(false),
        })
    }
}

/// The number of templates that a sync changed.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatTemplateSyncResult)]
pub(crate) struct SyncResult {
    /// The number of templates that were added.
    added: u32,
    /// The number of templates that changed.
    updated: u32,
    /// The number of templates that WhatsApp no longer has.
    removed: u32,
    /// The number of templates that WhatsApp lists.
    total: u32,
}

impl From<SyncOutcome> for SyncResult {
    fn from(outcome: SyncOutcome) -> Self {
        let SyncOutcome { added, updated, removed, total } = outcome;
        SyncResult { added, updated, removed, total }
    }
}

/// List WhatsApp templates
///
/// Returns the stored templates of a WhatsApp account. They are sorted in descending order by their ids as text or,
/// with `name`, by language. With any other filter, a page looks at up to 100 templates, so it can be short or empty
/// although more follow.
#[utoipa::path(get, path = "/v1/organization/chat/templates",
    operation_id = "organization.chat.templates.list", tag = "Templates",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery, ("chatBusinessProfileId" = ChatBusinessProfileId, Query),
        ("name" = Option<String>, Query, description = "Only the templates of this name, one per language."),
        ("language" = Option<String>, Query, description = "Only templates in this language, such as `en_US`."),
        ("category" = Option<TemplateCategory>, Query, description = "Only templates of this category."),
        ("status" = Option<TemplateStatus>, Query, description = "Only templates with this status.")),
    responses((status = 200, description = "A page of templates", body = List<Template>),
        (status = 404, description = "No such business profile")))]
pub(crate) async fn list_templates(
    State(chat): State<ChatContext>,
    caller: OrgMember,
    list: ListBy<OfProfile>,
) -> Result<Answer<List<Template>>, Rejection> {
    Ok(Answer::ok(super::list(&chat, &caller, &list).await?))
}

/// Sync WhatsApp templates
///
/// Copies the templates of a WhatsApp account from WhatsApp and returns how many changed. The request that starts the
/// sync waits up to 25 seconds for it, then returns 503 with `Retry-After`. While a sync is running, further requests
/// return 503 immediately; a retry after its end returns its counts.
#[utoipa::path(post, path = "/v1/organization/chat/templates/sync",
    operation_id = "organization.chat.templates.sync", tag = "Templates", security(("adminKey" = [])),
    request_body = SyncTemplates, responses((status = 200, description = "The number of templates that changed", body = SyncResult),
        (status = 404, description = "No such business profile"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond; nothing was changed"),
        (status = 503, description = "The sync is still running, or WhatsApp cannot be reached; retry after `Retry-After` seconds")))]
pub(crate) async fn sync_templates(
    State(chat): State<ChatContext>,
    caller: Admin,
    once: Once,
    body: Json<SyncTemplates>,
) -> Result<Response, Rejection> {
    logging::known_object(&body.input.profile);
    let attempt = match once.begin(&chat.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let synced = super::sync(&chat, &caller, &body.input).await;
    attempt
        .finish(synced.map(|outcome| Planned {
            change: Change::new(&caller.organization),
            answer: Answer::ok(SyncResult::from(outcome)),
        }))
        .await
}
