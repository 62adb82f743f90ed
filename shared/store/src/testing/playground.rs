//! The playground: allocated fictional numbers, and the users among them that have written.

use domain::id::{AppId, Identifier as _, PhoneNumberId};
use domain::identity::app::NUMBERS_PER_APP;
use domain::number::PhoneNumber;
use domain::testing::playground::MOST_SYSTEM_NUMBERS;
use domain::{E164, Failure, Mode, Timestamp};
use serde::{Deserialize, Serialize};

use crate::engine::change::{Change, Refused, absent_or, stale};
use crate::engine::expression::Update;
use crate::engine::item::{Item, NewItem, entities, entity, number as number_value};
use crate::engine::table::Range;
use crate::identity::app::no_such_app;
use crate::limits::counter::Counter;
use crate::{OrganizationStore, Reads, keys};

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
}

/// An allocated number of the playground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaygroundNumber {
    User {
        has_written: bool,
    },
    /// An SMS or chat number of a test app.
    System,
}

/// A number that becomes a system number of an app. `param` names the request's parameter in the failure for an app that has
/// as many numbers as it can have.
pub struct NewSystemNumber<'a> {
    pub number: &'a PhoneNumber,
    pub app: &'a AppId,
    pub param: &'static str,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Used {
    pub(crate) number: E164,
}

impl Reads {
    /// Returns the role of a number in the playground; `None` if it is not allocated.
    pub async fn playground_number(&self, number: &E164) -> Result<Option<PlaygroundNumber>, Failure> {
        let found: Option<GivenOut> =
            self.table.get(&keys::playground_number(&self.organization, number)).await?.map(entity).transpose()?;
        Ok(found.map(|given| match given.role {
            Role::User => PlaygroundNumber::User { has_written: given.first_used_at.is_some() },
            Role::System => PlaygroundNumber::System,
        }))
    }
}

impl OrganizationStore {
    /// Returns the system numbers that are assigned to an app, in the order of their creation.
    pub async fn system_numbers_of_app(&self, app: &AppId) -> Result<Vec<E164>, Failure> {
        let Some(app) = self.app(app).await? else { return Ok(Vec::new()) };
        let ids = app.numbers.iter().filter_map(|id| id.parse::<PhoneNumberId>().ok());
        let keys: Vec<_> = ids.map(|id| keys::phone_number(&self.organization, &id)).collect();
        let mut numbers: Vec<PhoneNumber> = entities(self.table.get_all(&keys).await?)?;
        numbers.retain(|number| number.is_system);
        // Numbers that were created for other apps follow the app's own.
        let place = |number: &PhoneNumber| {
            let own = app.system_number_ids.iter().position(|id| *id == number.id);
            (own.unwrap_or(usize::MAX), number.created_at)
        };
        numbers.sort_by_key(place);
        Ok(numbers.into_iter().map(|number| number.number).collect())
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
        self.count(Counter::PlaygroundUsers, Mode::Test);
        self.allocate(number, Role::User, None)
    }

    /// Allocates a number that writes for the first time to a user. Stale if it is already allocated.
    pub fn admit_user(&mut self, number: &E164, now: Timestamp) -> Result<(), Failure> {
        self.admit(std::slice::from_ref(number), None, now)
    }

    /// Allocates numbers that write for the first time to users. If they write to a number that is not allocated yet,
    /// `receiver` makes it a system number of an app. Stale if one of the numbers is already allocated.
    pub fn admit(
        &mut self,
        users: &[E164],
        receiver: Option<NewSystemNumber<'_>>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let counted = [
            (Counter::PlaygroundUsers, u32::try_from(users.len()).unwrap_or(u32::MAX)),
            (Counter::PhoneNumbers, u32::from(receiver.is_some())),
        ];
        let counted: Vec<_> = counted.into_iter().filter(|(_, count)| *count > 0).collect();
        if !counted.is_empty() {
            self.count_all(&counted, Mode::Test);
        }
        for user in users {
            self.allocate(user, Role::User, Some(now))?;
            self.list_user(user, now)?;
        }
        if let Some(NewSystemNumber { number, app, param }) = receiver {
            self.create_system_number(number)?;
            self.add_system_number_to_app(number, app, param)?;
        }
        Ok(())
    }

    /// Allocates a number to a simulated chat. Stale if it is already allocated.
    pub fn give_out_system_number(&mut self, number: &E164) -> Result<(), Failure> {
        self.allocate(number, Role::System, None)
    }

    /// Allocates a number to the SMS of an app that is created in the same change, which counts it, and creates it. Stale if
    /// it is already allocated.
    pub fn create_system_number(&mut self, number: &PhoneNumber) -> Result<(), Failure> {
        self.allocate(&number.number, Role::System, None)?;
        self.create_number_items(number, stale())
    }

    /// Adds a new system number to an app.
    fn add_system_number_to_app(
        &mut self,
        number: &PhoneNumber,
        app: &AppId,
        param: &'static str,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::app(&self.organization, app))
            .add_member("numbers", number.id.as_str())
            .append("systemNumbers", &number.number)?
            .append("systemNumberIds", &number.id)?
            .add("revision", 1)
            .if_present()
            .when("attribute_not_exists(#numbers) OR size(#numbers) < :most")
            .when("attribute_not_exists(#systemNumbers) OR size(#systemNumbers) < :mostSystem")
            .value(":most", number_value(NUMBERS_PER_APP))
            .value(":mostSystem", number_value(MOST_SYSTEM_NUMBERS));
        let full = move |_: &Item| {
            let message = format!(
                "An app may get at most {MOST_SYSTEM_NUMBERS} system numbers, including those that were deleted or moved, and \
                 have at most {NUMBERS_PER_APP} phone numbers in all. Use one that it has: GET \
                 /v1/playground/phone-numbers/system lists its system numbers."
            );
            Refused::With(Failure::limit(param, message))
        };
        self.update(update, absent_or(no_such_app, full));
        Ok(())
    }

    fn allocate(&mut self, number: &E164, role: Role, first_used_at: Option<Timestamp>) -> Result<(), Failure> {
        let given = GivenOut { number: number.clone(), role, first_used_at };
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
        self.list_user(number, now)
    }

    /// Lists a user among those that have written.
    fn list_user(&mut self, number: &E164, now: Timestamp) -> Result<(), Failure> {
        self.create_entity(
            &keys::playground_user_used(&self.organization, now, number),
            &Used { number: number.clone() },
        )
    }
}
