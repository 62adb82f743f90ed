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
    numbers: Vec<E164>,
}

/// One phone number.
#[derive(Serialize, ToSchema)]
#[schema(as = PlaygroundUserNumber)]
pub(crate) struct Number {
    number: E164,
}

/// List playground chat user numbers of the organization
///
/// Returns the numbers that have written to any app of the organization, by chat, by SMS or in a replayed notification, in the
/// order of first use.
#[utoipa::path(get, path = "/v1/organization/playground/chat/phone-numbers/user", tag = "Playground",
    security(("session" = []), ("adminKey" = [])), responses((status = 200, description = "The numbers", body = Numbers)))]
pub(crate) async fn list_user_numbers(
    State(context): State<Context>,
    caller: OrgMember,
) -> Result<Answer<Numbers>, Rejection> {
    let numbers = context.store.of(&caller.organization).playground_users_that_wrote().await?;
    Ok(Answer::ok(Numbers { numbers }))
}

/// Generate a playground chat user number
///
/// Generates a fictional phone number, which can send simulated inbound chat messages. An organization can have up to 1,000.
#[utoipa::path(post, path = "/v1/playground/chat/phone-numbers/user", tag = "Playground",
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

/// List playground SMS system numbers
///
/// Returns the SMS numbers that were made for test apps and are assigned to the app now. They are ordinary test numbers, which
/// `GET /v1/organization/phone-numbers` lists too.
#[utoipa::path(get, path = "/v1/playground/phone-numbers/system", tag = "Playground",
    security(("testAppKey" = [])), responses((status = 200, description = "The numbers of the app", body = Numbers),
        (status = 403, description = "The key does not belong to a test app")))]
pub(crate) async fn list_system_numbers(
    State(context): State<Context>,
    caller: TestApp,
) -> Result<Answer<Numbers>, Rejection> {
    Ok(Answer::ok(Numbers { numbers: super::system_numbers(&context, &caller).await? }))
}
