//! The operations that verify a number: the platform sends a code to it, and the caller returns the code.

use api::Admin;
use domain::Failure;
use domain::chat::ChatPhoneNumber;
use domain::chat::number_code::CodeMethod;
use domain::identity::credential::Secret;
use platform::{Line, PlatformError};

use super::amend;
use super::profile::{entry, reach};
use super::register_again::standing;
use crate::{ChatContext, audit};

/// How and in which language the code is sent.
pub(crate) struct CodeRequest {
    pub(super) method: CodeMethod,
    pub(super) language: String,
}

/// Lets the platform send a code to a number. A verified number can be verified again, because a verification expires.
pub(super) async fn request_code(
    chat: &ChatContext,
    caller: &Admin,
    number: Option<ChatPhoneNumber>,
    wanted: &CodeRequest,
) -> Result<(), Failure> {
    let (number, line) = reach(chat, caller, number).await?;
    let node = &number.provider_phone_number_id;
    let under_way = audit::begin(chat, &caller.organization, entry(chat, &caller.trail, &number)).await?;
    let requested = match line.platform.request_code(&line.token, node, wanted.method, &wanted.language).await {
        Ok(()) => Ok(()),
        Err(error) => Err(line.failure(error, node).await),
    };
    under_way.end(requested).await
}

/// Verifies a number with the code that was sent to it. Returns the number as it is then.
pub(super) async fn verify_code(
    chat: &ChatContext,
    caller: &Admin,
    number: Option<ChatPhoneNumber>,
    code: &Secret,
) -> Result<ChatPhoneNumber, Failure> {
    let (number, line) = reach(chat, caller, number).await?;
    let under_way = audit::begin(chat, &caller.organization, entry(chat, &caller.trail, &number)).await?;
    under_way.end(verify(&line, &number, code).await).await?;
    let org = chat.context.store.of(&caller.organization);
    amend(&chat.context, &org, &number.id, |number| {
        number.verified = true;
        Ok(())
    })
    .await
}

async fn verify(line: &Line, number: &ChatPhoneNumber, code: &Secret) -> Result<(), Failure> {
    let node = &number.provider_phone_number_id;
    match line.platform.verify_code(&line.token, node, code).await {
        Err(error) if !is_verified_already(line, number, &error).await => Err(line.failure(error, node).await),
        _ => Ok(()),
    }
}

/// Returns whether a rejected code has verified the number already: an earlier request stopped before it could store
/// that.
async fn is_verified_already(line: &Line, number: &ChatPhoneNumber, error: &PlatformError) -> bool {
    if number.verified || !matches!(error, PlatformError::Rejected(_)) || error.is_throttling() {
        return false;
    }
    standing(line, number).await.is_ok_and(|standing| standing.is_verified == Some(true))
}
