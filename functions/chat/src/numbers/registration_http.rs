//! Registering and deregistering a chat phone number of the organization.

use api::{Admin, Claim, Deferred, Input, Json, Once, Path, Rejection, body};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use domain::chat::number_code::six_digits;
use domain::id::ChatPhoneNumberId;
use domain::identity::credential::Secret;
use domain::schema::TwoStepPin;
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;
use views::ChatPhoneNumberView;

use super::{deregister, register_again};
use crate::{ChatContext, parts};

/// How the number is registered.
#[derive(Deserialize, ToSchema)]
#[schema(as = RegisterChatNumberAgain)]
pub(crate) struct RegisterAgain {
    /// The two-step PIN that the number has at WhatsApp, or shall get if it has none. It replaces the stored PIN. By
    /// default, the stored one is used, which is random unless you have chosen it.
    #[schema(value_type = Option<TwoStepPin>)]
    pin: Option<String>,
}

impl Input for RegisterAgain {
    type Checked = Option<Secret>;

    fn check(self, _context: &Context) -> Result<Option<Secret>, Failure> {
        self.pin.map(|pin| six_digits(&pin, "pin")).transpose()
    }
}

/// Register a WhatsApp number again
///
/// Registers a number of the organization with WhatsApp, so that it can send and receive: after it was verified, with
/// the two-step PIN that it has at WhatsApp, after it was deregistered, or to take an approved display name into use.
/// Registrations and deregistrations together are attempted at most five times in 72 hours, because WhatsApp blocks a
/// number after ten. If WhatsApp does not know the stored PIN (code 133005), send the right one as `pin`, or reset it in
/// WhatsApp Manager. In test mode, every PIN is accepted, except one that begins with `13`: it simulates the error of
/// WhatsApp with that code.
#[utoipa::path(post, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/register",
    operation_id = "organization.chat.phoneNumbers.registerAgain", tag = "Numbers",
    security(("adminKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    request_body = RegisterAgain,
    responses((status = 200, description = "The number, registered", body = ChatPhoneNumberView),
        (status = 409, description = "The number is not verified, is in use on the WhatsApp Business app, was registered too often, or another request is changing its registration or PIN"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn register_number_again(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Once, Json<RegisterAgain>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once, body)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((once, body, number))
    });
    let (caller, (once, body, number)) = read.await?;
    let Json { input: pin, fingerprint } = body;
    let org = chat.context.store.of(&caller.organization);
    let registered = async {
        let number = register_again::perform(&chat, &caller, number, pin.as_ref()).await?;
        super::view(&org, number).await
    };
    let fingerprint = once.keyed(&fingerprint);
    parts::once_of(&chat, &caller.organization, once, fingerprint, registered).await
}

/// Deregister a WhatsApp number
///
/// Ends the registration of the number with WhatsApp: it can neither send nor receive until it is registered again. It
/// stays in its account and keeps its apps and its two-step PIN. A number that is not registered is returned unchanged.
/// Registrations and deregistrations together are attempted at most five times in 72 hours.
#[utoipa::path(post, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/deregister",
    operation_id = "organization.chat.phoneNumbers.deregister", tag = "Numbers",
    security(("adminKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    responses((status = 200, description = "The number, not registered", body = ChatPhoneNumberView),
        (status = 409, description = "The number is in use on the WhatsApp Business app, was registered or deregistered too often, or another request is changing its registration or PIN"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn deregister_number(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Once)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((once, number))
    });
    let (caller, (once, number)) = read.await?;
    let org = chat.context.store.of(&caller.organization);
    let deregistered = async {
        let number = deregister::perform(&chat, &caller, number).await?;
        super::view(&org, number).await
    };
    parts::once_of(&chat, &caller.organization, once, body::fingerprint(&[]), deregistered).await
}
