//! Verifying a chat phone number.

use api::answer::Message;
use api::{Admin, Claim, Deferred, Input, Json, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use domain::chat::number_code::{CodeMethod, language, six_digits};
use domain::id::ChatPhoneNumberId;
use domain::identity::credential::Secret;
use domain::schema::{CodeLanguage, VerificationCode};
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;
use views::ChatPhoneNumberView;

use super::verification::{self, CodeRequest};
use crate::{ChatContext, parts};

/// How and in which language the code is sent.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RequestChatNumberCode)]
pub(crate) struct RequestCode {
    /// `SMS`, or `VOICE` for a call in which the code is read out.
    code_method: CodeMethod,
    /// The language of the message or the call.
    #[schema(value_type = CodeLanguage)]
    language: String,
}

impl Input for RequestCode {
    const REQUIRED: &'static [&'static str] = &["codeMethod", "language"];
    type Checked = CodeRequest;

    fn check(self, _context: &Context) -> Result<CodeRequest, Failure> {
        Ok(CodeRequest { method: self.code_method, language: language(&self.language, "language")? })
    }
}

/// The code that the number has received.
#[derive(Deserialize, ToSchema)]
#[schema(as = VerifyChatNumberCode)]
pub(crate) struct VerifyCode {
    /// The six digits, without the hyphen with which WhatsApp shows them.
    #[schema(value_type = VerificationCode)]
    code: String,
}

impl Input for VerifyCode {
    const REQUIRED: &'static [&'static str] = &["code"];
    type Checked = Secret;

    fn check(self, _context: &Context) -> Result<Secret, Failure> {
        six_digits(&self.code, "code")
    }
}

/// Request a verification code for a WhatsApp number
///
/// Asks WhatsApp to send a code to the number, by SMS or by a call, which proves that you have it. Return the code with
/// `POST …/verify-code`. WhatsApp limits how often a code can be requested. In test mode, nothing is sent.
#[utoipa::path(post, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/request-code",
    operation_id = "organization.chat.phoneNumbers.requestCode", tag = "Numbers",
    security(("adminKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    request_body = RequestCode,
    responses((status = 200, description = "WhatsApp sends the code", body = Message),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed or did not respond; the code may have been sent")))]
pub(crate) async fn request_code(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Once, Json<RequestCode>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once, body)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((once, body, number))
    });
    let (caller, (once, body, number)) = read.await?;
    let Json { input: wanted, fingerprint } = body;
    let requested = async {
        verification::request_code(&chat, &caller, number, &wanted).await?;
        Ok(Message { message: "WhatsApp sends the code to the number." })
    };
    parts::once_of(&chat, &caller.organization, once, fingerprint, requested).await
}

/// Verify a WhatsApp number
///
/// Verifies the number with the code that WhatsApp has sent to it, and returns the number with `verified: true`. Then it
/// can be registered. In test mode, every code is accepted, except one that begins with `13`: it simulates the error of
/// WhatsApp with that code.
#[utoipa::path(post, path = "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/verify-code",
    operation_id = "organization.chat.phoneNumbers.verifyCode", tag = "Numbers",
    security(("adminKey" = [])), params(("chatPhoneNumberId" = ChatPhoneNumberId, Path)),
    request_body = VerifyCode,
    responses((status = 200, description = "The number, verified", body = ChatPhoneNumberView),
        (status = 422, description = "WhatsApp rejected the code"),
        (status = 502, description = "WhatsApp failed or did not respond; send the same request again")))]
pub(crate) async fn verify_code(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(ChatPhoneNumberId,)>, Once, Json<VerifyCode>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), once, body)| async move {
        let number = reads.chat_phone_number(&id).await?;
        Ok((once, body, number))
    });
    let (caller, (once, body, number)) = read.await?;
    let Json { input: code, fingerprint } = body;
    let org = chat.context.store.of(&caller.organization);
    let verified = async {
        let number = verification::verify_code(&chat, &caller, number, &code).await?;
        super::view(&org, number).await
    };
    let fingerprint = once.keyed(&fingerprint);
    parts::once_of(&chat, &caller.organization, once, fingerprint, verified).await
}
