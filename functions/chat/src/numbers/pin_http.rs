//! The two-step PIN of a chat phone number.

use api::answer::Message;
use api::{Admin, Answer, Claim, Deferred, Input, Json, Path, Rejection};
use axum::extract::State;
use domain::Failure;
use domain::chat::number_code::six_digits;
use domain::id::ChatPhoneNumberId;
use domain::identity::credential::Secret;
use domain::schema::TwoStepPin;
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;

use super::pin;
use crate::ChatContext;

/// The new two-step PIN.
#[derive(Deserialize, ToSchema)]
#[schema(as = ChangeChatNumberPin)]
pub(crate) struct ChangePin {
    /// Keep it: WhatsApp asks for it when the number is registered elsewhere.
    #[schema(value_type = TwoStepPin)]
    pin: String,
}

impl Input for ChangePin {
    const REQUIRED: &'static [&'static str] = &["pin"];
    type Checked = Secret;

    fn check(self, _context: &Context) -> Result<Secret, Failure> {
        six_digits(&self.pin, "pin")
    }
}

/// Change the two-step PIN of a WhatsApp number
///
/// Sets the number's two-step PIN at WhatsApp, which does not ask for the previous one. The PIN is kept and used for
/// later registrations, and never returned. Two-step verification cannot be switched off by an API. After a failure with
/// status 502, the number has the new or the previous PIN: send the same request again.
#[utoipa::path(put, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/pin",
    operation_id = "organization.chat.phoneNumbers.pin.update", tag = "Numbers",
    security(("adminKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    request_body = ChangePin,
    responses((status = 200, description = "The PIN was changed", body = Message),
        (status = 409, description = "The number is in use on the WhatsApp Business app, or another request is changing its registration or PIN"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn change_pin(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Json<ChangePin>)>,
) -> Result<Answer<Message>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), body)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((body, number))
    });
    let (caller, (body, number)) = read.await?;
    pin::change(&chat, &caller, number, &body.input).await?;
    Ok(Answer::message("The two-step PIN was changed."))
}
