//! The simulated platform's records of the contacts of its numbers: when each wrote last, whether the number has
//! blocked it, and how many messages to a recipient with a limit were refused. A contact is known by phone number; a
//! record of a user id only says that the number has blocked it.

use domain::chat::ChatUser;
use domain::{E164, Failure, Timestamp};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::Deserialize;

use crate::engine::change::{Change, Refused};
use crate::engine::expression::Update;
use crate::engine::item::{Item, SORT, entity, value};
use crate::engine::table::Range;
use crate::{OrganizationStore, Reads, keys};

/// The number of contacts that are written at once.
const AT_ONCE: usize = 25;

/// The simulated platform's record of a contact of one of its numbers.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SimulatedContact {
    /// When the contact last wrote to the number; `None` if it never did.
    pub wrote_at: Option<Timestamp>,
    /// When the number blocked the contact; `None` if it is not blocked.
    pub blocked_at: Option<Timestamp>,
    refusals: u32,
}

impl Reads {
    /// Returns the simulated platform's record of a contact, which is empty by default.
    pub async fn simulated_contact(&self, platform_number: &str, user: &ChatUser) -> Result<SimulatedContact, Failure> {
        let item = self.table.get(&keys::simulated_user(&self.organization, platform_number, user)).await?;
        item.map(entity).transpose().map(Option::unwrap_or_default)
    }
}

impl OrganizationStore {
    /// Returns the users that a number of the simulated platform has blocked: phone numbers in their order, then user
    /// ids. An organization has at most 1,000 simulated users, and the simulated platform blocks as many user ids per
    /// number, so there are never many.
    pub async fn blocked_simulated_users(&self, platform_number: &str) -> Result<Vec<ChatUser>, Failure> {
        let users = Range {
            from: Some(keys::SIMULATED_CONTACT),
            before: Some(keys::AFTER_SIMULATED_USER_ID),
            ..Range::whole(keys::simulated_state(&self.organization, platform_number))
        };
        let items = self.table.query(users).await?.into_iter();
        let blocked = items.filter(|item| item.contains_key("blockedAt"));
        Ok(blocked.filter_map(|item| keys::simulated_user_of(item.get(SORT)?.as_s().ok()?)).collect())
    }

    /// Blocks users of a number of the simulated platform, and returns whether each was blocked: those named by phone
    /// number only if they have written to the number since `since`.
    pub async fn block_simulated_users(
        &self,
        platform_number: &str,
        users: &[ChatUser],
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<bool>, Failure> {
        let update = |user: &ChatUser| {
            let update = Update::new(keys::simulated_user(&self.organization, platform_number, user));
            let update = update.set("blockedAt", &now)?;
            // Simulated users write under phone numbers, so that nothing is known of a user id.
            if user.number().is_none() {
                return Ok::<_, Failure>(update);
            }
            Ok(update.when("#wroteAt > :since").value(":since", value(&since)?))
        };
        self.update_simulated_users(users.iter().map(update).collect::<Result<_, _>>()?).await
    }

    /// Unblocks users of a number of the simulated platform. A user that is not blocked is left unchanged.
    pub async fn unblock_simulated_users(&self, platform_number: &str, users: &[ChatUser]) -> Result<(), Failure> {
        let update = |user: &ChatUser| {
            let key = keys::simulated_user(&self.organization, platform_number, user);
            Update::new(key).remove("blockedAt").when("attribute_exists(#blockedAt)")
        };
        self.update_simulated_users(users.iter().map(update).collect()).await.map(|_| ())
    }

    /// Makes updates, and returns in their order whether the condition of each held.
    async fn update_simulated_users(&self, updates: Vec<Update>) -> Result<Vec<bool>, Failure> {
        let written = updates.into_iter().map(|update| self.table.try_update(update));
        stream::iter(written).buffered(AT_ONCE).map_ok(|outcome| outcome.is_ok()).try_collect().await
    }

    /// Counts a message that is refused, and returns whether it is one of the first `most`. The message after them is
    /// not refused, and the count begins again.
    pub async fn refuse_to_simulated_contact(
        &self,
        platform_number: &str,
        contact: &E164,
        most: u32,
    ) -> Result<bool, Failure> {
        let key = || keys::simulated_contact(&self.organization, platform_number, contact);
        let unconditional = || Failure::internal("DynamoDB rejected an unconditional write");
        let counted = self.table.update(Update::new(key()).add("refusals", 1), unconditional).await?;
        if entity::<SimulatedContact>(counted)?.refusals <= most {
            return Ok(true);
        }
        self.table.update(Update::new(key()).set("refusals", &0)?, unconditional).await?;
        Ok(false)
    }
}

impl Change {
    /// Records that a contact has written to a number of the simulated platform. Fails if the number has blocked the
    /// contact.
    pub fn note_simulated_contact(
        &mut self,
        platform_number: &str,
        contact: &E164,
        wrote_at: Timestamp,
    ) -> Result<(), Failure> {
        let key = keys::simulated_contact(&self.organization, platform_number, contact);
        let update = Update::new(key).set("wroteAt", &wrote_at)?.when("attribute_not_exists(#blockedAt)");
        self.update(update, Box::new(|_: Option<&Item>| Refused::With(blocked())));
        Ok(())
    }
}

fn blocked() -> Failure {
    let message = "The number has blocked this user, whose messages do not arrive. Unblock the user with DELETE \
                   /v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users, or use another number.";
    Failure::conflict(message).with_param("from")
}
