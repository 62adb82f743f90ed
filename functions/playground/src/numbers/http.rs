use std::future::ready;

use api::body::fingerprint;
use api::idempotency::Planned;
use api::{Answer, Once, OrgMember, Rejection, TestApp};
use axum::extract::State;
use axum::response::Response;
use domain::E164;
use runtime::Context;
use serde::Serialize;
use utoipa::ToSchema;

/// Phone numbers.
#[derive(Serialize, ToSchema)]
#[schema(as = PlaygroundNumbers)]
pub(crate) struct Numbers {
    /// The phone numbers.
    numbers: Vec<E164>,
}

/// One phone number.
#[derive(Serialize, ToSchema)]
#[schema(as = PlaygroundUserNumber)]
pub(crate) struct Number {
    number: E164,
}

/// List the organization's simulated WhatsApp users
///
/// Returns the numbers that have written to any app of the organization by WhatsApp, by SMS or in a simulated
/// notification, in the order of their first use.
#[utoipa::path(get, path = "/v1/organization/playground/chat/phone-numbers/user",
    operation_id = "organization.playground.chat.userNumbers.list", tag = "Test mode",
    security(("session" = []), ("adminKey" = [])), responses((status = 200, description = "The numbers", body = Numbers)))]
pub(crate) async fn list_user_numbers(
    State(context): State<Context>,
    caller: OrgMember,
) -> Result<Answer<Numbers>, Rejection> {
    let numbers = context.store.of(&caller.organization).playground_users_that_wrote().await?;
    Ok(Answer::ok(Numbers { numbers }))
}

/// Create a simulated WhatsApp user
///
/// Generates a fictional phone number for simulated inbound WhatsApp messages. An organization can have up to 1,000.
#[utoipa::path(post, path = "/v1/playground/chat/phone-numbers/user",
    operation_id = "playground.chat.userNumbers.create", tag = "Test mode",
    security(("testAppKey" = [])), responses((status = 201, description = "The number", body = Number),
        (status = 403, description = "The key does not belong to a test app")))]
pub(crate) async fn create_user_number(
    State(context): State<Context>,
    caller: TestApp,
    once: Once,
) -> Result<Response, Rejection> {
    let attempt = once.attempt(&context, fingerprint(&[]));
    let decide = |()| {
        let generated = super::generate(&context, &caller);
        ready(generated.map(|(number, change)| Planned { change, answer: Answer::created(Number { number }) }))
    };
    attempt.run((), || ready(()), decide).await
}

/// List simulated SMS recipients
///
/// Returns the SMS numbers that were created for test apps and are currently assigned to the app. They are ordinary
/// test numbers, which `GET /v1/organization/phone-numbers` lists too.
#[utoipa::path(get, path = "/v1/playground/phone-numbers/system",
    operation_id = "playground.systemNumbers.list", tag = "Test mode",
    security(("testAppKey" = [])), responses((status = 200, description = "The numbers of the app", body = Numbers),
        (status = 403, description = "The key does not belong to a test app")))]
pub(crate) async fn list_system_numbers(
    State(context): State<Context>,
    caller: TestApp,
) -> Result<Answer<Numbers>, Rejection> {
    Ok(Answer::ok(Numbers { numbers: super::system_numbers(&context, &caller).await? }))
}
