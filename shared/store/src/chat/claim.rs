//! Claims: the records of which organization owns a platform account or a platform number.

use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, OrganizationId};
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};

use crate::engine::item::{entity, key_of};
use crate::keys::{Key, KeyClass};
use crate::{Store, keys};

/// The owner of a platform account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountClaim {
    pub organization_id: OrganizationId,
    pub profile_id: ChatBusinessProfileId,
    /// Until when the account was another organization's. Earlier reports of the platform were for that organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// The owner of a platform number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NumberClaim {
    pub organization_id: OrganizationId,
    pub profile_id: ChatBusinessProfileId,
    pub number_id: ChatPhoneNumberId,
}

impl Store {
    /// Returns the claims on these live platform accounts and numbers. A claim names the organization that receives
    /// their notifications.
    pub async fn live_claims(
        &self,
        accounts: &[&str],
        numbers: &[&str],
    ) -> Result<(Vec<(String, AccountClaim)>, Vec<(String, NumberClaim)>), Failure> {
        let wanted =
            accounts.iter().map(|id| keys::live_account(id)).chain(numbers.iter().map(|id| keys::live_number(id)));
        let found = self.table.get_all(&wanted.collect::<Vec<_>>()).await?;
        let (mut account_claims, mut number_claims) = (Vec::new(), Vec::new());
        for item in found {
            let key = key_of(&item);
            let Some(parsed) = key.as_ref().and_then(Key::parse) else { continue };
            match (parsed.class, parsed.own_part()) {
                (KeyClass::LiveAccount, Some(id)) => account_claims.push((id.to_owned(), entity(item)?)),
                (KeyClass::LiveNumber, Some(id)) => number_claims.push((id.to_owned(), entity(item)?)),
                _ => {}
            }
        }
        Ok((account_claims, number_claims))
    }
}
