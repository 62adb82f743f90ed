//! The objects that are deleted with an app, and the cleanup of references to a deleted app.

use domain::attention::NeedKind;
use domain::chat::ChatPhoneNumber;
use domain::events::webhook::Webhook;
use domain::id::{AppId, AppKeyId, ChatPhoneNumberId, Identifier as _, OrganizationId, PhoneNumberId, WebhookId};
use domain::identity::app::App;
use domain::identity::key::AppKey;
use domain::number::PhoneNumber;
use domain::testing::playground::SYSTEM_NUMBERS_PER_APP;
use domain::{E164, Failure, Timestamp};
use serde::{Deserialize, Serialize};

use crate::attention::Needing as _;
use crate::engine::change::{Change, Refused};
use crate::engine::expression::Condition;
use crate::engine::item::value;
use crate::{Store, keys};

/// The number of system numbers whose claims on their digits are deleted in the transaction that deletes their app: the
/// numbers that a test app is created with. The claims of others are cleared later, because the transaction has no room
/// for them.
pub(crate) const CLAIMS_WITH_APP: usize = SYSTEM_NUMBERS_PER_APP;

/// An app with everything that is deleted with it.
pub struct AppToDelete {
    pub app: App,
    pub keys: Vec<AppKey>,
    pub webhooks: Vec<Webhook>,
    /// The simulated chat number of a test app, if it was read. If it was not, the number is assumed to have no other
    /// app.
    pub simulated_number: Option<ChatPhoneNumber>,
    /// The system numbers of a test app that were read. The others are assumed to have no other app.
    pub system_numbers: Vec<PhoneNumber>,
}

impl AppToDelete {
    /// Returns the system numbers that are deleted with the app, with their digits: those that it still has and that
    /// have no other app.
    pub(crate) fn own_system_numbers(&self) -> impl Iterator<Item = (&PhoneNumberId, &E164)> {
        let app = &self.app;
        let is_shared = |id: &PhoneNumberId| {
            self.system_numbers
                .iter()
                .any(|number| number.id == *id && number.apps.iter().any(|other| *other != app.id))
        };
        let made = app.system_number_ids.iter().zip(&app.system_numbers);
        made.filter(move |(id, _)| app.numbers.contains(id.as_str()) && !is_shared(id))
    }

    /// Returns the references to the app that remain after its deletion and must be cleared.
    pub fn leftovers(&self) -> DeletedApp {
        let own = self.app.simulated_chat_number.as_ref().map(|number| number.id.as_str());
        let is_deleted = |number: &str| self.own_system_numbers().any(|(id, _)| id.as_str() == number);
        let is_kept = |number: &&String| Some(number.as_str()) != own && !is_deleted(number);
        let shared = self.simulated_number.as_ref().map(|number| (&number.id, &number.apps));
        let others = shared.into_iter().flat_map(|(_, apps)| apps).filter(|app| **app != self.app.id);
        let shared_with: Vec<AppId> = others.cloned().collect();
        let claimed = self.own_system_numbers();

        DeletedApp {
            id: self.app.id.clone(),
            numbers: self.app.numbers.iter().filter(is_kept).cloned().collect(),
            webhooks: self.webhooks.iter().map(|webhook| webhook.id.clone()).collect(),
            ending_keys: self.keys.iter().filter(|key| !key.needs().is_empty()).map(|key| key.id.clone()).collect(),
            shared_number: shared.filter(|_| !shared_with.is_empty()).map(|(id, _)| id.clone()),
            shared_with,
            claims: claimed
                .skip(CLAIMS_WITH_APP)
                .map(|(id, number)| ClaimedNumber { number: number.clone(), id: id.clone() })
                .collect(),
        }
    }
}

/// The record of a deleted app: the references to it that must still be cleared.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeletedApp {
    pub id: AppId,
    #[serde(default)]
    pub numbers: Vec<String>,
    #[serde(default)]
    pub webhooks: Vec<WebhookId>,
    /// The keys that would have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ending_keys: Vec<AppKeyId>,
    /// The simulated chat number that was deleted with the app, if other apps have it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_number: Option<ChatPhoneNumberId>,
    /// The other apps of that number.
    #[serde(default)]
    pub shared_with: Vec<AppId>,
    /// The system numbers whose digits are still claimed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimedNumber>,
}

/// The digits of a number that was deleted, and its id.
#[derive(Serialize, Deserialize)]
pub struct ClaimedNumber {
    pub(crate) number: E164,
    pub(crate) id: PhoneNumberId,
}

impl DeletedApp {
    /// Returns whether nothing refers to the app.
    pub fn is_empty(&self) -> bool {
        let DeletedApp { id: _, numbers, webhooks, ending_keys, shared_number: _, shared_with, claims } = self;
        numbers.is_empty()
            && webhooks.is_empty()
            && ending_keys.is_empty()
            && shared_with.is_empty()
            && claims.is_empty()
    }
}

impl Store {
    /// Clears everything that still refers to a deleted app, then deletes its record. Continues after a failure, so
    /// that as much as possible is cleared; in that case the record stays and the sweep clears the rest.
    pub async fn clear_deleted_app(
        &self,
        organization: &OrganizationId,
        deleted: &DeletedApp,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let mut cleared = Vec::new();
        for number in deleted.numbers.iter().filter_map(|number| number.parse().ok()) {
            let mut change = Change::new(organization);
            change.clear_number_of_deleted_app(&number, &deleted.id, now)?;
            cleared.push(self.commit(&change).await);
        }
        if let Some(number) = &deleted.shared_number {
            for app in &deleted.shared_with {
                let mut change = Change::new(organization);
                change.clear_app_of_deleted_number(app, number);
                cleared.push(self.commit(&change).await);
            }
        }
        for claimed in &deleted.claims {
            let mut change = Change::new(organization);
            change.clear_claim_of_deleted_number(claimed)?;
            cleared.push(self.commit(&change).await);
        }

        let mut webhooks = Change::new(organization);
        webhooks.delete_webhook_leftovers(&deleted.webhooks);
        cleared.push(self.commit(&webhooks).await);
        // Not in the same transaction, which has up to four writes for each webhook.
        let mut keys = Change::new(organization);
        for key in &deleted.ending_keys {
            keys.forget_needs(&[NeedKind::KeyEnds], key.as_str());
        }
        cleared.push(self.commit(&keys).await);
        cleared.into_iter().collect::<Result<Vec<_>, _>>()?;

        let mut record = Change::new(organization);
        record.forget_deleted_app(&deleted.id);
        self.commit(&record).await.map(|_| ())
    }
}

impl Change {
    /// Deletes the claim on the digits of a deleted number. Already done if it is deleted, or if another number holds
    /// it.
    fn clear_claim_of_deleted_number(&mut self, claimed: &ClaimedNumber) -> Result<(), Failure> {
        let own = Condition::new("#id = :own").value(":own", value(&claimed.id)?);
        let key = keys::phone_number_claim(&self.organization, &claimed.number);
        self.delete(key, own, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }
}
