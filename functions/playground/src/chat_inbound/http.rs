use api::idempotency::Planned;
use api::{Answer, Claim, Deferred, Json, Once, Rejection, TestApp};
use axum::extract::State;
use axum::response::Response;
use domain::chat::ChatMessageDetails;
use store::Change;

use super::SimulateInboundChat;
use crate::context::PlaygroundContext;

/// Simulate an inbound WhatsApp message
///
/// Simulates a message from a WhatsApp user to a test number. It is processed like a live one: the message and its
/// contact are stored, and their events are sent. `from` is any number; each new one is a playground user of the
/// organization, of which there can be 1,000. A user who presses a quick reply of a template sends a message of type `button`; one
/// who presses a button of an interactive message sends the type `interactive` with `{"kind": "button_reply", "id": …, "title": …}`.
#[utoipa::path(post, path = "/v1/playground/chat/inbound",
    operation_id = "playground.chat.simulateInbound", tag = "Test mode", security(("testAppKey" = [])),
    request_body = SimulateInboundChat, responses((status = 201, description = "The message", body = ChatMessageDetails),
        (status = 403, description = "The key does not belong to a test app"),
        (status = 404, description = "`to` is not assigned to the app, or the message refers to an object that does not exist")))]
pub(crate) async fn simulate_inbound_chat(
    State(playground): State<PlaygroundContext>,
    claim: Claim<TestApp>,
    input: Deferred<(Once, Json<SimulateInboundChat>)>,
) -> Result<Response, Rejection> {
    let now = playground.inbox.context.now();
    let read = claim.with(input, |reads, (once, body)| async move {
        let seen = super::read(&reads, &body.input, now).await;
        Ok((once, body, seen))
    });
    let (caller, (once, Json { input, fingerprint }, seen)) = read.await?;

    let attempt = match once.begin(&playground.inbox.context, fingerprint).await {
        Ok(attempt) => attempt,
        Err(response) => return Ok(*response),
    };
    let received = match seen {
        Ok(seen) => {
            let identity = attempt.identity();
            Box::pin(super::receive(&playground.inbox, &caller, &input, seen, identity.as_deref())).await
        }
        Err(failure) => Err(failure),
    };

    let change = Change::new(&caller.app.organization);
    attempt.finish(received.map(|message| Planned { change, answer: Answer::created(message) })).await
}
