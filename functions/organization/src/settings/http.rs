use api::{Admin, Answer, Claim, Deferred, Input, Json, Rejection};
use axum::extract::State;
use domain::id::OrganizationId;
use domain::identity::organization::{MessageRetention, Organization, media_retention_days};
use domain::schema::ObjectName;
use domain::{Failure, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::SettingsUpdate;
use utoipa::ToSchema;

/// The settings of an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrganizationSettings)]
pub(crate) struct SettingsView {
    id: OrganizationId,
    /// The organization's name.
    name: String,
    /// Cannot be changed.
    slug: String,
    /// How long media is kept, in days.
    #[schema(minimum = 1, maximum = 365)]
    media_retention_days: u32,
    /// How long messages are kept, in days.
    #[schema(minimum = 30, maximum = 3650)]
    message_retention_days: u32,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Organization> for SettingsView {
    fn from(organization: Organization) -> Self {
        let Organization { id, name, slug, media_retention_days, message_retention, created_at, updated_at } =
            organization;
        let message_retention_days = message_retention.days();
        SettingsView { id, name, slug, media_retention_days, message_retention_days, created_at, updated_at }
    }
}

/// The fields to change, at least one. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UpdateOrganizationSettings, min_properties = 1)]
pub(crate) struct UpdateSettings {
    #[schema(value_type = Option<ObjectName>)]
    name: Option<String>,
    /// How long media is kept, in days. Applies to media that is stored from now on.
    #[schema(minimum = 1, maximum = 365)]
    media_retention_days: Option<i64>,
    /// How long messages are kept, in days. Applies to messages that are stored from now on.
    #[schema(minimum = 30, maximum = 3650)]
    message_retention_days: Option<i64>,
}

impl Input for UpdateSettings {
    const AT_LEAST_ONE: bool = true;
    type Checked = SettingsUpdate;

    fn check(self, _context: &Context) -> Result<SettingsUpdate, Failure> {
        Ok(SettingsUpdate {
            name: self.name.map(|name| text::name(&name, "name")).transpose()?,
            media_retention_days: self
                .media_retention_days
                .map(|days| media_retention_days(days, "mediaRetentionDays"))
                .transpose()?,
            message_retention: self
                .message_retention_days
                .map(|days| MessageRetention::in_field(days, "messageRetentionDays"))
                .transpose()?,
        })
    }
}

/// Get organization settings
///
/// Returns the settings of the organization that the credential belongs to.
#[utoipa::path(get, path = "/v1/organization/settings",
    operation_id = "organization.settings.get", tag = "Organization", security(("adminKey" = [])),
    responses((status = 200, description = "The settings", body = SettingsView)))]
pub(crate) async fn get_settings(claim: Claim<Admin>) -> Result<Answer<SettingsView>, Rejection> {
    let (_, organization) =
        claim.with(Deferred::nothing(), |reads, ()| async move { reads.organization().await }).await?;
    Ok(Answer::ok(super::existing(organization)?.into()))
}

/// Update organization settings
///
/// Changes the name and how long media and messages are kept. Requires a live admin key. The slug does not change with
/// the name.
#[utoipa::path(patch, path = "/v1/organization/settings",
    operation_id = "organization.settings.update", tag = "Organization", security(("adminKey" = [])),
    request_body = UpdateSettings, responses((status = 200, description = "The settings", body = SettingsView),
        (status = 403, description = "A test admin key cannot change the settings")))]
pub(crate) async fn update_settings(
    State(context): State<Context>,
    claim: Claim<Admin>,
    body: Deferred<Json<UpdateSettings>>,
) -> Result<Answer<SettingsView>, Rejection> {
    let read = claim.with(body, |reads, body| async move { Ok((reads.organization().await, body.input)) });
    let (caller, (seen, sent)) = read.await?;
    Ok(Answer::ok(super::update(&context, &caller, seen, &sent).await?.into()))
}
