//! The playground: allocated fictional numbers, the users among them that have written, and SMS messages.

use std::collections::BTreeSet;

use domain::id::AppId;
use domain::sms::SmsMessage;
use domain::{E164, Failure, Timestamp};
use serde::{Deserialize, Serialize};

use crate::change::{Change, Refused, stale};
use crate::expression::Update;
use crate::item::{NewItem, entities, entity};
use crate::organization::Counter;
use crate::table::Range;
use crate::{Reads, keys};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    /// An SMS or chat number of a test app.
    System,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GivenOut {
    pub(crate) number: E164,
    pub(crate) role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_used_at: Option<Timestamp>,
    /// The app whose SMS number this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app_id: Option<AppId>,
}

/// An SMS number of a playground app.
pub struct SystemNumber {
    pub number: E164,
    pub app_id: AppId,
}

/// A playground user.
#[derive(Clone, Debug)]
pub struct PlaygroundUser {
    pub number: E164,
    pub has_written: bool,
}

#[derive(Serialize, Deserialize)]
struct Used {
    number: E164,
}

impl Reads {
    /// Returns the user with this number; `None` if the number belongs to an app or is not allocated.
    pub async fn playground_user(&self, number: &E164) -> Result<Option<PlaygroundUser>, Failure> {
        let found: Option<GivenOut> =
            self.table.get(&keys::playground_number(&self.organization, number)).await?.map(entity).transpose()?;
        Ok(found
            .filter(|given| given.role == Role::User)
            .map(|given| PlaygroundUser { number: given.number, has_written: given.first_used_at.is_some() }))
    }

    /// Returns those of the numbers that are SMS numbers of apps.
    pub async fn system_numbers(&self, among: &[&E164]) -> Result<Vec<SystemNumber>, Failure> {
        let distinct: BTreeSet<&E164> = among.iter().copied().collect();
        let keys: Vec<_> =
            distinct.into_iter().map(|number| keys::playground_number(&self.organization, number)).collect();
        let given: Vec<GivenOut> = entities(self.table.get_all(&keys).await?)?;
        let owned = |given: GivenOut| Some(SystemNumber { app_id: given.app_id?, number: given.number });
        Ok(given.into_iter().filter_map(owned).collect())
    }

    /// Returns the users that have written, ordered by their first message. The limit on users bounds the list to
    /// 1,000.
    pub async fn playground_users_that_wrote(&self) -> Result<Vec<E164>, Failure> {
        let items = self.table.query(Range::whole(keys::playground_users_by_first_use(&self.organization))).await?;
        Ok(entities::<Used>(items)?.into_iter().map(|used| used.number).collect())
    }
}

impl Change {
    /// Allocates a number to a user. Stale if the number is already allocated: the caller draws another one.
    pub fn give_out_user_number(&mut self, number: &E164) -> Result<(), Failure> {
        self.count(Counter::PlaygroundUsers);
        self.give_out(number, Role::User, None)
    }

    /// Allocates a number to a simulated chat or, with `sms_of`, to the SMS of an app. Stale if it is already
    /// allocated.
    pub fn give_out_system_number(&mut self, number: &E164, sms_of: Option<&AppId>) -> Result<(), Failure> {
        self.give_out(number, Role::System, sms_of)
    }

    fn give_out(&mut self, number: &E164, role: Role, sms_of: Option<&AppId>) -> Result<(), Failure> {
        let given = GivenOut { number: number.clone(), role, first_used_at: None, app_id: sms_of.cloned() };
        self.create(NewItem::new(&keys::playground_number(&self.organization, number), &given)?, stale());
        Ok(())
    }

    /// Records the first message of a user. Stale if the user has written concurrently.
    pub fn note_first_use(&mut self, number: &E164, now: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::playground_number(&self.organization, number))
            .set("firstUsedAt", &now)?
            .if_present()
            .when("attribute_not_exists(#firstUsedAt)");
        self.update(update, Box::new(|_| Refused::Stale));
        self.create_entity(
            &keys::playground_user_used(&self.organization, now, number),
            &Used { number: number.clone() },
        )
    }

    pub fn create_sms_message(&mut self, message: &SmsMessage) -> Result<(), Failure> {
        self.create_entity(&keys::sms_message(&self.organization, &message.id), message)
    }
}
