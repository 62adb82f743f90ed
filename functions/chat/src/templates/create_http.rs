//! The creation of templates.

use std::future::ready;

use api::idempotency::Planned;
use api::{Admin, Answer, Input, Json, Once, Rejection};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::Failure;
use domain::chat::template_draft::{Category, ParameterFormat};
use domain::chat::{Template, TemplateDraft};
use domain::id::{ChatBusinessProfileId, Identifier as _};
use domain::schema::TemplateDefinitionComponent;
use runtime::{Context, logging};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::create::{self, Creation, Known};
use super::filter::PROFILE;
use crate::ChatContext;

/// The template to create. The limits are those that WhatsApp documents.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreateChatTemplate)]
pub(crate) struct CreateTemplate {
    /// The WhatsApp account (business profile) in which the template is created.
    #[schema(value_type = ChatBusinessProfileId)]
    chat_business_profile_id: String,
    /// Lower-case letters, digits and underscores. With the language, it identifies the template in its account.
    #[schema(pattern = "^[a-z0-9_]{1,512}$")]
    name: String,
    /// WhatsApp's code of the language, such as `en_US`.
    #[schema(pattern = "^[a-z]{2,3}(_[A-Z]{2,3})?$", example = "en_US")]
    language: String,
    category: Category,
    /// The components in WhatsApp's own format, at most one of each type; a body is required. Header: 60 characters and
    /// one variable, a location, or a medium with `"example": {"mediaId": …}`: an `IMAGE` (JPEG or PNG, 5 MiB), a
    /// `VIDEO` (MP4, 16 MiB) or a `DOCUMENT` (PDF, 16 MiB). Body: 1024 characters. Footer: 60 characters. Buttons: 10,
    /// with texts of 25 characters and URLs of 2000; quick replies must be adjacent. Each variable needs an example. In
    /// category `MARKETING` also a `GIF` (MP4, 3.5 MiB) as the header; a `CAROUSEL` of 2 to 10 cards, with bodies of
    /// 160 characters and up to 2 buttons; a `LIMITED_TIME_OFFER`, with a text of 16 and a body of 600 characters; and
    /// the buttons `CATALOG`, `MPM` and `SPM`, which show products of a catalog.
    #[schema(value_type = Vec<TemplateDefinitionComponent>, min_items = 1, max_items = 4)]
    components: Vec<Value>,
    /// `POSITIONAL` by default.
    parameter_format: Option<ParameterFormat>,
    /// How long WhatsApp tries to deliver a message: 30 to 900 seconds for `AUTHENTICATION`, 30 to 43200 for `UTILITY`,
    /// or -1 for 30 days; 43200 to 2592000 for `MARKETING`.
    #[schema(minimum = -1, maximum = 2592000)]
    message_send_ttl_seconds: Option<i64>,
    /// Validates the template without creating it: nothing is stored or uploaded, and WhatsApp is not called. `false`
    /// by default.
    dry_run: Option<bool>,
}

impl Input for CreateTemplate {
    const REQUIRED: &'static [&'static str] = &[PROFILE, "name", "language", "category", "components"];
    type Checked = Creation;

    fn check(self, _context: &Context) -> Result<Creation, Failure> {
        let profile = ChatBusinessProfileId::in_param(&self.chat_business_profile_id, PROFILE)?;
        let draft = TemplateDraft {
            name: self.name,
            language: self.language,
            category: self.category,
            components: self.components,
            parameter_format: self.parameter_format,
            message_send_ttl_seconds: self.message_send_ttl_seconds,
        };
        Ok(Creation { profile, draft: draft.checked()?, dry_run: self.dry_run.unwrap_or(false) })
    }
}

/// A valid template that was not created.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatTemplateDraft)]
pub(crate) struct DraftView {
    chat_business_profile_id: ChatBusinessProfileId,
    /// The template's name.
    name: String,
    /// WhatsApp's code of the language.
    language: String,
    category: Category,
    /// The components in WhatsApp's own format.
    #[schema(value_type = Vec<TemplateDefinitionComponent>)]
    components: Vec<Value>,
    parameter_format: Option<ParameterFormat>,
    /// How long WhatsApp tries to deliver a message, in seconds; -1 for 30 days.
    message_send_ttl_seconds: Option<i64>,
}

impl From<&Creation> for DraftView {
    fn from(wanted: &Creation) -> Self {
        let TemplateDraft { name, language, category, components, parameter_format, message_send_ttl_seconds } =
            wanted.draft.clone();
        let chat_business_profile_id = wanted.profile.clone();
        DraftView {
            chat_business_profile_id,
            name,
            language,
            category,
            components,
            parameter_format,
            message_send_ttl_seconds,
        }
    }
}

/// Create a WhatsApp template
///
/// Creates a template at WhatsApp, which reviews it: the template is `PENDING`, and can be sent once it is `APPROVED`.
/// The events `templates.chat.connected` and `templates.chat.updated` report the outcome of the review. If the outcome
/// of a request is unknown, repeat the request: a template that WhatsApp has already created is not created twice. The
/// media of headers are uploaded to WhatsApp for the review. With `dryRun`, the template is only validated, and the
/// status is 200. In test mode, the scenario `template_approved` approves a template.
#[utoipa::path(post, path = "/v1/organization/chat/templates",
    operation_id = "organization.chat.templates.create", tag = "Templates", security(("adminKey" = [])),
    request_body = CreateTemplate,
    responses((status = 201, description = "The template", body = Template),
        (status = 200, description = "The template is valid; it was not created", body = DraftView),
        (status = 404, description = "No such business profile or media"),
        (status = 409, description = "The account has a template with this name and language"),
        (status = 422, description = "WhatsApp rejected the template"),
        (status = 502, description = "WhatsApp failed")))]
pub(crate) async fn create_template(
    State(chat): State<ChatContext>,
    caller: Admin,
    once: Once,
    body: Json<CreateTemplate>,
) -> Result<Response, Rejection> {
    let wanted = &body.input;
    logging::known_object(&wanted.profile);
    if wanted.dry_run {
        create::check(&chat, &caller, wanted).await?;
        return Ok(Answer::ok(DraftView::from(wanted)).into_response());
    }

    let attempt = match once.begin(&chat.context, body.fingerprint).await {
        Ok(attempt) => attempt,
        Err(answer) => return Ok(*answer),
    };
    let new = match create::request(&chat, &caller, wanted).await {
        Ok(new) => new,
        Err(failure) => return attempt.finish::<Template>(Err(failure)).await,
    };

    let org = chat.context.store.of(&caller.organization);
    let read = || Known::read(&org, &new);
    let decide = |known: Result<Known, Failure>| {
        let stored = known.and_then(|known| create::store(&chat, &caller, &new, &known));
        ready(stored.map(|(template, change)| Planned { change, answer: Answer::created(template) }))
    };
    // A new template is rarely stored already, so nothing is read until a commit on this assumption is rejected.
    attempt.run(Ok(Known::default()), read, decide).await
}
