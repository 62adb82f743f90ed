//! Routes updates to organizations. An update is applied only if its number and its account belong to the same
//! organization; any other update is counted and acknowledged. The account need not be the one under which the number
//! is stored: the platform reports a moved number under its new account before a signup records the move.

use std::collections::{BTreeSet, HashMap};

use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, OrganizationId};
use domain::{Failure, Timestamp};
use platform::fields::ACCOUNT_FIELDS;
use serde::{Deserialize, Serialize};
use store::{AccountClaim, NumberClaim, Store};

use crate::notification::Update;

/// The objects that an update belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    pub organization_id: OrganizationId,
    pub profile_id: ChatBusinessProfileId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number_id: Option<ChatPhoneNumberId>,
}

/// An update with its route; also the format of the update in the queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Routed {
    pub route: Route,
    pub update: Update,
}

/// The result of routing the updates of a notification.
pub struct Routing {
    pub routed: Vec<Routed>,
    /// The number of updates whose account or number no organization has connected.
    pub unclaimed: usize,
}

pub(crate) async fn route(store: &Store, updates: Vec<Update>) -> Result<Routing, Failure> {
    let accounts: BTreeSet<&str> = updates.iter().map(|update| update.account.as_str()).filter(is_id).collect();
    let numbers: BTreeSet<&str> = updates.iter().filter_map(|update| update.number.as_deref()).filter(is_id).collect();
    let (accounts, numbers): (Vec<_>, Vec<_>) = (accounts.into_iter().collect(), numbers.into_iter().collect());
    let (accounts, numbers) = store.live_claims(&accounts, &numbers).await?;
    let (accounts, numbers): (HashMap<_, _>, HashMap<_, _>) =
        (accounts.into_iter().collect(), numbers.into_iter().collect());

    let total = updates.len();
    let routed: Vec<Routed> = updates
        .into_iter()
        .filter_map(|update| {
            let number = update.number.as_ref().map(|number| numbers.get(number));
            let account = accounts.get(&update.account).filter(|claim| is_for(claim, &update))?;
            let route = agreed(&update, account, number)?;
            Some(Routed { route, update })
        })
        .collect();
    Ok(Routing { unclaimed: total - routed.len(), routed })
}

/// Returns whether the text can be one of the platform's ids, which are digits. Only such texts become keys of the
/// table.
fn is_id(text: &&str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether the update is for the organization that has the account now. Updates from before a previous
/// organization released the account, which the platform repeats until they are acknowledged, are for that
/// organization.
fn is_for(claim: &AccountClaim, update: &Update) -> bool {
    let since = claim.since.map(Timestamp::seconds);
    since.zip(update.time).is_none_or(|(since, time)| time >= since)
}

/// Returns the route if the account's and the number's claims agree.
fn agreed(update: &Update, account: &AccountClaim, number: Option<Option<&NumberClaim>>) -> Option<Route> {
    let number_id = match number {
        Some(claim) => {
            let claim = claim?;
            let agrees = claim.organization_id == account.organization_id;
            agrees.then(|| Some(claim.number_id.clone()))?
        }
        None if ACCOUNT_FIELDS.contains(&update.field.as_str()) => None,
        // A value that could not be parsed has no number, but must not be lost.
        None if update.part == crate::notification::Part::Unreadable => None,
        None => return None,
    };
    let (organization_id, profile_id) = (account.organization_id.clone(), account.profile_id.clone());
    Some(Route { organization_id, profile_id, number_id })
}
