use std::collections::BTreeSet;

use api::idempotency::Planned;
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection, app_ids};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, PhoneNumberId};
use domain::number::NumberId;
use domain::{E164, Failure};
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::Assignment;
use utoipa::ToSchema;
use views::{AppReference, app_references};

use super::views::{AppNumberView, PhoneNumberView};
use super::{AssignmentRequest, NewPhoneNumber};

const LIST: &str = "phone-numbers";

/// The result of deleting a phone number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PhoneNumberDeletion)]
pub(crate) struct DeletionView {
    /// Always `true`.
    success: bool,
    phone_number_id: PhoneNumberId,
    /// The apps that the number was assigned to, sorted by slug.
    affected_apps: Vec<AppReference>,
}

/// The phone number to add.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatePhoneNumber {
    #[schema(value_type = E164)]
    number: String,
    /// Apps to assign the number to, at most 40; none by default.
    #[schema(value_type = Option<Vec<AppId>>, max_items = 40)]
    app_ids: Option<Vec<String>>,
    /// Adds a test number, which only test apps may use. With a live admin key the default is `false`; a test admin key adds
    /// test numbers only.
    test: Option<bool>,
}

impl Input for CreatePhoneNumber {
    const REQUIRED: &'static [&'static str] = &["number"];
    type Checked = NewPhoneNumber;

    fn check(self, _context: &Context) -> Result<NewPhoneNumber, Failure> {
        let number = E164::in_field(&self.number, "number")?;
        Ok(NewPhoneNumber { number, app_ids: app_ids::parse(&self.app_ids.unwrap_or_default())?, test: self.test })
    }
}

/// List phone numbers
///
/// Returns the organization's phone numbers for SMS and MMS, newest first. A test admin key sees test numbers only.
#[utoipa::path(get, path = "/v1/organization/phone-numbers",
    operation_id = "organization.phoneNumbers.list", tag = "Numbers",
    security(("adminKey" = []), ("session" = [])), params(ListQuery),
    responses((status = 200, description = "A page of phone numbers", body = List<PhoneNumberView>)))]
pub(crate) async fn list_phone_numbers(
    State(context): State<Context>,
    caller: OrgMember,
    query: ListQuery,
) -> Result<Answer<List<PhoneNumberView>>, Rejection> {
    let organization = &caller.organization;
    let org = context.store.of(organization);
    let page = org.phone_numbers(caller.mode.visible(), &query.page(organization, LIST)?).await?;
    let ids: BTreeSet<&AppId> = page.items.iter().flat_map(|number| &number.apps).collect();
    let apps = org.apps_by_id(ids).await?;
    let views = page.map(|number| {
        let assigned = apps.iter().filter(|app| number.apps.contains(&app.id)).cloned().collect();
        PhoneNumberView::new(number, assigned)
    });
    Ok(Answer::ok(List::new(views, organization, LIST, |number| number.id.ksuid())?))
}

/// Add a phone number
///
/// Adds a phone number for SMS and MMS to the organization, where it must be unique. An organization can have up to
/// 1,000 phone numbers, and an app up to 50.
#[utoipa::path(post, path = "/v1/organization/phone-numbers",
    operation_id = "organization.phoneNumbers.create", tag = "Numbers", security(("adminKey" = [])),
    request_body = CreatePhoneNumber, responses((status = 201, description = "The number", body = PhoneNumberView),
        (status = 403, description = "A test admin key sent `test: false`"),
        (status = 404, description = "No such app"),
        (status = 409, description = "The organization already has this number")))]
pub(crate) async fn create_phone_number(
    State(context): State<Context>,
    caller: Admin,
    once: Once,
    body: Json<CreatePhoneNumber>,
) -> Result<Response, Rejection> {
    let planned = super::create(&context, &caller, &body.input)
        .await
        .map(|(number, apps, change)| Planned { change, answer: Answer::created(PhoneNumberView::new(number, apps)) });
    once.attempt(&context, body.fingerprint).finish(planned).await
}

/// Get a phone number
///
/// Returns a phone number with the apps that it is assigned to.
#[utoipa::path(get, path = "/v1/organization/phone-numbers/{phoneNumberId}",
    operation_id = "organization.phoneNumbers.get", tag = "Numbers",
    security(("adminKey" = []), ("session" = [])), params(("phoneNumberId" = PhoneNumberId, Path)),
    responses((status = 200, description = "The number", body = PhoneNumberView)))]
pub(crate) async fn get_phone_number(
    State(context): State<Context>,
    claim: Claim<OrgMember>,
    path: Deferred<Path<(PhoneNumberId,)>>,
) -> Result<Answer<PhoneNumberView>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move { reads.phone_number(&id).await });
    let (caller, number) = read.await?;
    let number = super::visible(number, &caller)?;
    let apps = context.store.of(&caller.organization).apps_by_id(&number.apps).await?;
    Ok(Answer::ok(PhoneNumberView::new(number, apps)))
}

/// Delete a phone number
///
/// Deletes the number from the organization and from all apps in one transaction. A number that is linked to the carrier
/// stays in the list as `RELEASING`, without apps, until it is unlinked, which takes a minute or two.
#[utoipa::path(delete, path = "/v1/organization/phone-numbers/{phoneNumberId}",
    operation_id = "organization.phoneNumbers.delete", tag = "Numbers",
    security(("adminKey" = [])), params(("phoneNumberId" = PhoneNumberId, Path)),
    responses((status = 200, description = "The number was deleted from the organization and from these apps", body = DeletionView)))]
pub(crate) async fn delete_phone_number(
    State(context): State<Context>,
    claim: Claim<Admin>,
    path: Deferred<Path<(PhoneNumberId,)>>,
) -> Result<Answer<DeletionView>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move {
        let number = reads.phone_number(&id).await?;
        Ok((id, number))
    });
    let (caller, (id, number)) = read.await?;
    let apps = super::delete(&context, &caller, &id, number).await?;
    Ok(Answer::ok(DeletionView { success: true, phone_number_id: id, affected_apps: app_references(apps) }))
}

/// Assign a phone number to an app
///
/// Assigns a phone number for SMS (`ph_`) or a WhatsApp number (`wapn_`) to an app. The number and the app must both be
/// live or both be test. Repeating the request changes nothing.
#[utoipa::path(put, path = "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
    operation_id = "organization.apps.phoneNumbers.assign", tag = "Numbers",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("phoneNumberId" = NumberId, Path)),
    responses((status = 200, description = "The number", body = AppNumberView)))]
pub(crate) async fn assign_phone_number(
    State(context): State<Context>,
    claim: Claim<Admin>,
    path: Deferred<Path<(AppId, NumberId)>>,
) -> Result<Answer<AppNumberView>, Rejection> {
    assign(&context, claim, path, Assignment::Assign).await
}

/// Unassign a phone number from an app
///
/// Removes the assignment of a phone number for SMS (`ph_`) or a WhatsApp number (`wapn_`). Repeating the request
/// changes nothing.
#[utoipa::path(delete, path = "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
    operation_id = "organization.apps.phoneNumbers.unassign", tag = "Numbers",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("phoneNumberId" = NumberId, Path)),
    responses((status = 200, description = "The number", body = AppNumberView)))]
pub(crate) async fn unassign_phone_number(
    State(context): State<Context>,
    claim: Claim<Admin>,
    path: Deferred<Path<(AppId, NumberId)>>,
) -> Result<Answer<AppNumberView>, Rejection> {
    assign(&context, claim, path, Assignment::Unassign).await
}

async fn assign(
    context: &Context,
    claim: Claim<Admin>,
    path: Deferred<Path<(AppId, NumberId)>>,
    assignment: Assignment,
) -> Result<Answer<AppNumberView>, Rejection> {
    let read = claim.with(path, |reads, Path((app, id))| async move {
        let number = reads.any_number(&id).await?;
        Ok((AssignmentRequest { app, id, assignment }, number))
    });
    let (caller, (request, number)) = read.await?;
    let (number, apps) = super::assign(context, &caller, &request, number).await?;
    Ok(Answer::ok(AppNumberView::new(number, apps)))
}
