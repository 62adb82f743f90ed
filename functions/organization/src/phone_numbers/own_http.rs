//! Phone numbers for app keys.

use std::future::ready;

use api::answer::Message;
use api::idempotency::Planned;
use api::{Answer, AppCaller, Claim, Deferred, Input, Json, List, ListQuery, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use domain::id::Identifier as _;
use domain::number::NumberId;
use runtime::Context;
use serde::Deserialize;
use store::Assignment;
use utoipa::ToSchema;

use super::own;
use super::views::AppNumberView;

/// The number to assign.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakePhoneNumber {
    /// The id of a phone number (`ph_...`) or a WhatsApp number (`wapn_...`).
    #[schema(value_type = NumberId)]
    phone_number_id: String,
}

impl Input for TakePhoneNumber {
    const REQUIRED: &'static [&'static str] = &["phoneNumberId"];
    type Checked = NumberId;

    fn check(self, _context: &Context) -> Result<NumberId, Failure> {
        NumberId::in_param(&self.phone_number_id, "phoneNumberId")
    }
}

/// List the app's phone numbers
///
/// Returns the phone numbers for SMS and the WhatsApp numbers of the key's app, newest first.
#[utoipa::path(get, path = "/v1/phone-numbers", operation_id = "phoneNumbers.list", tag = "Numbers",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(ListQuery),
    responses((status = 200, description = "A page of numbers", body = List<AppNumberView>)))]
pub(crate) async fn list_own_phone_numbers(
    State(context): State<Context>,
    caller: AppCaller,
    query: ListQuery,
) -> Result<Answer<List<AppNumberView>>, Rejection> {
    Ok(Answer::ok(own::list(&context, &caller, &query).await?))
}

/// Assign a phone number to the app
///
/// Assigns a number to the key's app. The number must be of the app's mode (live or test) and not be assigned to
/// another app: only an admin key can share or move a number. Repeating the request changes nothing.
#[utoipa::path(post, path = "/v1/phone-numbers", operation_id = "phoneNumbers.assign", tag = "Numbers",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body = TakePhoneNumber, responses((status = 200, description = "The number", body = AppNumberView),
        (status = 403, description = "The number is assigned to another app"),
        (status = 404, description = "No such number of the app's mode")))]
pub(crate) async fn take_phone_number(
    State(context): State<Context>,
    claim: Claim<AppCaller>,
    input: Deferred<(Once, Json<TakePhoneNumber>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (once, body)| async move {
        let stored = reads.any_number(&body.input).await;
        Ok((stored, once, body))
    });
    let (caller, (stored, once, Json { input: id, fingerprint })) = read.await?;
    let (context, caller, id) = (&context, &caller, &id);
    let org = &context.store.of(&caller.organization);
    let decide = |stored: Result<_, Failure>| async move {
        let (number, change) = own::assign(context, caller, id, Assignment::Assign, stored?)?;
        let apps = org.apps_by_id(number.apps()).await?;
        Ok(Planned { change, answer: Answer::ok(AppNumberView::new(number, apps)) })
    };
    once.attempt(context, fingerprint).run(stored, || org.any_number(id), decide).await
}

/// Unassign a phone number from the app
///
/// Unassigns a number from the key's app. Its messages are kept, but the app can no longer read them, even if the
/// number is assigned to it again. Repeating the request changes nothing, unless the number has since been assigned to
/// another app: then the response is 403.
#[utoipa::path(delete, path = "/v1/phone-numbers/{phoneNumberId}",
    operation_id = "phoneNumbers.unassign", tag = "Numbers", security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("phoneNumberId" = NumberId, Path)),
    responses((status = 200, description = "The number was unassigned", body = Message),
        (status = 403, description = "The number is assigned to another app"),
        (status = 404, description = "No such number of the app's mode")))]
pub(crate) async fn give_back_phone_number(
    State(context): State<Context>,
    claim: Claim<AppCaller>,
    path: Deferred<Path<(NumberId,)>>,
) -> Result<Answer<Message>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move {
        let stored = reads.any_number(&id).await;
        Ok((id, stored))
    });
    let (caller, (id, stored)) = read.await?;
    let org = context.store.of(&caller.organization);
    let decide = |stored: Result<_, Failure>| {
        let decided = stored.and_then(|stored| own::assign(&context, &caller, &id, Assignment::Unassign, stored));
        ready(decided.map(|(number, change)| (change, number)))
    };
    context.store.settle_from(stored, || org.any_number(&id), decide).await?;
    Ok(Answer::message("Phone number unassigned"))
}
