use api::{Admin, Answer, Claim, Deferred, Input, Json, Path, Rejection};
use axum::extract::State;
use domain::calling::{
    AnswerBehavior, CallingSettings, DEFAULT_CONCURRENT_CALLS, DEFAULT_VOICEMAIL_SECONDS, LONGEST_VOICEMAIL_SECONDS,
    MOST_CONCURRENT_CALLS, RecordingFormat,
};
use domain::id::{AppId, OrganizationId};
use domain::schema::HttpsUrl;
use domain::{Failure, Open, Timestamp, text};
use runtime::Context;
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Configuration;
use crate::apps::visible;

/// The calling configuration of an app. These settings are stored and returned; the service places no calls.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CallingConfiguration)]
pub(crate) struct CallingView {
    /// `cc_` (`cc_test_` for a test app) and the KSUID of the app, because an app has one configuration.
    id: String,
    app_id: AppId,
    organization_id: OrganizationId,
    /// Whether callers can leave a voicemail.
    voicemail_enabled: bool,
    /// The URL of the greeting that callers hear before they leave a voicemail.
    #[serde(skip_serializing_if = "Option::is_none")]
    voicemail_greeting_url: Option<String>,
    /// The maximum duration of a voicemail, in seconds.
    voicemail_max_duration: u32,
    /// Whether every call is recorded.
    auto_record_enabled: bool,
    #[schema(value_type = RecordingFormat)]
    recording_format: Open<RecordingFormat>,
    #[schema(value_type = AnswerBehavior)]
    default_answer_behavior: Open<AnswerBehavior>,
    /// The maximum number of calls at the same time.
    max_concurrent_calls: u32,
    /// Whether WhatsApp calls are accepted.
    chat_calling_enabled: bool,
    /// Whether WhatsApp calls are connected by SIP.
    chat_sip_enabled: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl CallingView {
    fn new(organization_id: OrganizationId, configuration: Configuration) -> Self {
        let Configuration { app_id, settings, created_at, updated_at } = configuration;
        CallingView {
            id: format!("cc_{}{}", app_id.mode().infix(), app_id.ksuid()),
            app_id,
            organization_id,
            voicemail_enabled: settings.voicemail_enabled,
            voicemail_greeting_url: settings.voicemail_greeting_url,
            voicemail_max_duration: settings.voicemail_max_duration,
            auto_record_enabled: settings.auto_record_enabled,
            recording_format: settings.recording_format,
            default_answer_behavior: settings.default_answer_behavior,
            max_concurrent_calls: settings.max_concurrent_calls,
            chat_calling_enabled: settings.chat_calling_enabled,
            chat_sip_enabled: settings.chat_sip_enabled,
            created_at,
            updated_at,
        }
    }
}

/// The complete configuration. Absent fields take their defaults.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SetCallingConfiguration)]
pub(crate) struct SetCalling {
    /// Whether callers can leave a voicemail.
    #[schema(default = false)]
    voicemail_enabled: Option<bool>,
    /// The URL of the greeting that callers hear before they leave a voicemail.
    #[schema(value_type = Option<HttpsUrl>)]
    voicemail_greeting_url: Option<String>,
    /// The maximum duration of a voicemail, in seconds.
    #[schema(minimum = 1, maximum = 600, default = 120)]
    voicemail_max_duration: Option<i64>,
    /// Whether every call is recorded.
    #[schema(default = false)]
    auto_record_enabled: Option<bool>,
    /// `mp4` by default.
    #[schema(value_type = Option<RecordingFormat>)]
    recording_format: Option<String>,
    /// `webhook` by default.
    #[schema(value_type = Option<AnswerBehavior>)]
    default_answer_behavior: Option<String>,
    /// The maximum number of calls at the same time.
    #[schema(minimum = 1, maximum = 1000, default = 10)]
    max_concurrent_calls: Option<i64>,
    /// Whether WhatsApp calls are accepted.
    #[schema(default = false)]
    chat_calling_enabled: Option<bool>,
    /// Whether WhatsApp calls are connected by SIP.
    #[schema(default = false)]
    chat_sip_enabled: Option<bool>,
}

impl Input for SetCalling {
    type Checked = CallingSettings;

    fn check(self, _context: &Context) -> Result<CallingSettings, Failure> {
        let greeting = self.voicemail_greeting_url.map(|url| text::https_url(&url, "voicemailGreetingUrl"));
        Ok(CallingSettings {
            voicemail_enabled: self.voicemail_enabled.unwrap_or(false),
            voicemail_greeting_url: greeting.transpose()?,
            voicemail_max_duration: in_range(
                self.voicemail_max_duration,
                "voicemailMaxDuration",
                LONGEST_VOICEMAIL_SECONDS,
            )?
            .unwrap_or(DEFAULT_VOICEMAIL_SECONDS),
            auto_record_enabled: self.auto_record_enabled.unwrap_or(false),
            recording_format: one_of(self.recording_format, "recordingFormat", "mp4, ogg or webm")?
                .unwrap_or(RecordingFormat::Mp4)
                .into(),
            default_answer_behavior: one_of(
                self.default_answer_behavior,
                "defaultAnswerBehavior",
                "webhook or voicemail",
            )?
            .unwrap_or(AnswerBehavior::Webhook)
            .into(),
            max_concurrent_calls: in_range(self.max_concurrent_calls, "maxConcurrentCalls", MOST_CONCURRENT_CALLS)?
                .unwrap_or(DEFAULT_CONCURRENT_CALLS),
            chat_calling_enabled: self.chat_calling_enabled.unwrap_or(false),
            chat_sip_enabled: self.chat_sip_enabled.unwrap_or(false),
        })
    }
}

/// Deserializes an enum from a string only: serde alone would also accept `{"mp4": null}` for `"mp4"`.
fn one_of<T: DeserializeOwned>(sent: Option<String>, param: &str, choices: &str) -> Result<Option<T>, Failure> {
    let Some(sent) = sent else { return Ok(None) };
    let value: Result<T, serde::de::value::Error> = T::deserialize(sent.into_deserializer());
    value.map(Some).map_err(|_| Failure::invalid(param, format!("{param} must be {choices}.")))
}

fn in_range(sent: Option<i64>, param: &str, maximum: u32) -> Result<Option<u32>, Failure> {
    let Some(sent) = sent else { return Ok(None) };
    let value = u32::try_from(sent).ok().filter(|value| (1..=maximum).contains(value));
    value.map(Some).ok_or_else(|| Failure::invalid(param, format!("{param} must be from 1 to {maximum}.")))
}

/// Get the calling configuration of an app
///
/// Returns settings that no operation uses yet. Until they are set, the response is 404 with the code `calling_not_configured`.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/calling",
    operation_id = "organization.apps.calling.get", tag = "Apps and keys", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), responses((status = 200, description = "The configuration", body = CallingView)))]
pub(crate) async fn get_calling(
    claim: Claim<Admin>,
    path: Deferred<Path<(AppId,)>>,
) -> Result<Answer<CallingView>, Rejection> {
    let (caller, app) = claim.with(path, |reads, Path((id,))| async move { reads.app(&id).await }).await?;
    let configuration = super::configured(visible(app, &caller)?)?;
    Ok(Answer::ok(CallingView::new(caller.organization, configuration)))
}

/// Set the calling configuration of an app
///
/// Stores settings that no operation uses yet: the service neither places nor takes calls. Replaces the complete
/// configuration; absent fields take their defaults.
#[utoipa::path(put, path = "/v1/organization/apps/{appId}/calling",
    operation_id = "organization.apps.calling.update", tag = "Apps and keys", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), request_body = SetCalling,
    responses((status = 200, description = "The configuration", body = CallingView)))]
pub(crate) async fn set_calling(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(AppId,)>, Json<SetCalling>)>,
) -> Result<Answer<CallingView>, Rejection> {
    let read =
        claim.with(input, |reads, (Path((app,)), body)| async move { Ok((reads.app(&app).await, app, body.input)) });
    let (caller, (seen, app, sent)) = read.await?;
    let configuration = super::set(&context, &caller, &app, seen, &sent).await?;
    Ok(Answer::ok(CallingView::new(caller.organization, configuration)))
}
