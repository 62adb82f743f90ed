//! Phone numbers of both kinds, and reading them. A number holds the set of its apps and an app the set of its numbers;
//! an assignment writes both (`assignment.rs`). The start of each assignment is stored, because the end of an
//! assignment also ends its messages in the queue.
//!
//! A phone number is created and deleted here (`lifecycle.rs`), its link to the carrier is in `sms/`, and chat phone
//! numbers come from the platform (`chat/number.rs`).

mod assignment;
mod lifecycle;

use std::collections::BTreeSet;

use domain::chat::ChatPhoneNumber;
use domain::id::{AppId, PhoneNumberId};
use domain::number::assignments::Assignments;
use domain::number::{NumberId, PhoneNumber};
use domain::{E164, Failure, Mode, Timestamp};

use crate::engine::item::{entities, entity, key_of};
use crate::engine::page::{Page, PageRequest};
use crate::keys::KeyClass;
use crate::{OrganizationStore, Reads, keys};

pub use assignment::Assignment;

fn no_such_number() -> Failure {
    Failure::not_found("phoneNumberId", "phone number")
}

/// A number of either kind.
#[derive(Clone, Debug)]
pub enum AnyNumber {
    Phone(PhoneNumber),
    Chat(Box<ChatPhoneNumber>),
}

impl AnyNumber {
    pub fn id(&self) -> NumberId {
        match self {
            AnyNumber::Phone(number) => NumberId::Phone(number.id.clone()),
            AnyNumber::Chat(number) => NumberId::Chat(number.id.clone()),
        }
    }

    pub fn apps(&self) -> &BTreeSet<AppId> {
        match self {
            AnyNumber::Phone(number) => &number.apps,
            AnyNumber::Chat(number) => &number.apps,
        }
    }

    pub fn revision(&self) -> u64 {
        match self {
            AnyNumber::Phone(number) => number.revision,
            AnyNumber::Chat(number) => number.revision,
        }
    }

    fn is_deleted(&self) -> bool {
        matches!(self, AnyNumber::Phone(number) if number.is_deleted)
    }

    /// Returns the number with the apps and the update time that it has after `Change::assign`. The revision stays as
    /// it was read.
    #[must_use]
    pub fn with(mut self, app: &AppId, assignment: Assignment, now: Timestamp) -> Self {
        let (apps, assigned_at, updated_at, line_reset_at) = match &mut self {
            AnyNumber::Phone(number) => {
                (&mut number.apps, &mut number.assigned_at, &mut number.updated_at, &mut number.line_reset_at)
            }
            AnyNumber::Chat(number) => {
                (&mut number.apps, &mut number.assigned_at, &mut number.updated_at, &mut number.line_reset_at)
            }
        };

        let is_changed = match assignment {
            Assignment::Assign => apps.insert(app.clone()),
            Assignment::Unassign => apps.remove(app),
        };
        if is_changed {
            *updated_at = now;
        }

        match assignment {
            Assignment::Assign if is_changed => assigned_at.begin(app, now),
            Assignment::Unassign if is_changed => *line_reset_at = Some(now),
            _ => {}
        }
        assigned_at.retain(apps);
        self
    }

    fn assigned_at(&self) -> &Assignments {
        match self {
            AnyNumber::Phone(number) => &number.assigned_at,
            AnyNumber::Chat(number) => &number.assigned_at,
        }
    }
}

impl Reads {
    pub async fn any_number(&self, id: &NumberId) -> Result<Option<AnyNumber>, Failure> {
        Ok(match id {
            NumberId::Phone(id) => self.phone_number(id).await?.map(AnyNumber::Phone),
            NumberId::Chat(id) => self.chat_phone_number(id).await?.map(|number| AnyNumber::Chat(Box::new(number))),
        })
    }

    pub async fn phone_number(&self, id: &PhoneNumberId) -> Result<Option<PhoneNumber>, Failure> {
        self.table.get(&keys::phone_number(&self.organization, id)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Returns those of `ids` that exist, in the same order.
    pub async fn any_numbers(&self, ids: &[NumberId]) -> Result<Vec<AnyNumber>, Failure> {
        let keys: Vec<_> = ids.iter().map(|id| keys::number(&self.organization, id)).collect();
        let mut numbers = Vec::with_capacity(ids.len());
        for item in self.table.get_all(&keys).await? {
            numbers.push(match key_of(&item).and_then(|key| key.class()) {
                Some(KeyClass::PhoneNumber) => AnyNumber::Phone(entity(item)?),
                _ => AnyNumber::Chat(entity(item)?),
            });
        }
        numbers.sort_by_key(|number| ids.iter().position(|id| *id == number.id()));
        Ok(numbers)
    }

    /// Returns the phone numbers that are assigned to an app.
    pub async fn phone_numbers_of_app(&self, app: &AppId) -> Result<Vec<PhoneNumber>, Failure> {
        let Some(app) = self.app(app).await? else { return Ok(Vec::new()) };
        let ids = app.numbers.iter().filter_map(|id| id.parse::<PhoneNumberId>().ok());
        let keys: Vec<_> = ids.map(|id| keys::phone_number(&self.organization, &id)).collect();
        let mut numbers: Vec<PhoneNumber> = entities(self.table.get_all(&keys).await?)?;
        numbers.sort_by(|a, b| a.id.ksuid().cmp(b.id.ksuid()));
        Ok(numbers)
    }

    /// Returns the app's phone number with these digits.
    pub async fn phone_number_of_app(&self, app: &AppId, digits: &E164) -> Result<Option<PhoneNumber>, Failure> {
        Ok(self.phone_numbers_of_app(app).await?.into_iter().find(|number| number.number == *digits))
    }

    /// Returns a page of the organization's phone numbers.
    pub async fn phone_numbers(&self, modes: &[Mode], page: &PageRequest) -> Result<Page<PhoneNumber>, Failure> {
        let partitions = modes.iter().map(|&mode| keys::phone_numbers(&self.organization, mode)).collect();
        self.table.page(partitions, page).await
    }
}
