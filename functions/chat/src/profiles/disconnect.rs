//! Disconnecting accounts. The steps are in the crate `accounts`, because the operator's function performs them too.

use accounts::Accounts;
use api::Admin;
use domain::Failure;
use domain::id::ChatBusinessProfileId;
use domain::testing::playground::SIMULATED_WABA_ID;

use super::{WithNumbers, find, no_such_profile, with_numbers};
use crate::ChatContext;

const PARAM: &str = "profileId";
/// The `Retry-After`, in seconds: the longest duration of a disconnection, unless the platform fails.
const RETRY_AFTER: u32 = 30;

/// The failure to connect an account that is being disconnected.
pub(super) fn being_disconnected() -> Failure {
    let message = "This account is being disconnected. Send the same request again when that has ended.";
    Failure::conflict(message).with_param("wabaId").with_retry_after(RETRY_AFTER)
}

/// The failure to connect an account that was disconnected while it was being connected.
pub(super) fn disconnected_meanwhile() -> Failure {
    let message = "This account was disconnected while this request connected it. Connect it again with a new request.";
    Failure::conflict(message).with_param("wabaId")
}

/// Disconnects the account of a profile, or continues a disconnection that stopped before its end.
pub(super) async fn disconnect(
    chat: &ChatContext,
    caller: &Admin,
    id: &ChatBusinessProfileId,
) -> Result<WithNumbers, Failure> {
    let org = chat.context.store.of(&caller.organization);
    let profile = find(&org, caller, id, PARAM).await?;
    if profile.mode.is_test() && profile.provider_waba_id == SIMULATED_WABA_ID {
        let message =
            "The account of the playground belongs to the organization's test apps and cannot be disconnected.";
        return Err(Failure::conflict(message).with_param(PARAM));
    }
    let accounts = Accounts::of(&chat.context, &chat.platforms);
    let entry = chat.context.entry(&caller.trail, profile.mode);
    let done = accounts.disconnect(&caller.organization, id, &entry).await?;
    with_numbers(&org, done.ok_or_else(|| no_such_profile(PARAM))?).await
}
