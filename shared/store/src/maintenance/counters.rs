//! Verification of the counters behind the limits: they are compared with the items that they count.

use std::collections::BTreeMap;

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::events::webhook::Webhook;
use domain::id::OrganizationId;
use domain::identity::app::App;
use domain::identity::key::{AdminKey, AppKey};
use domain::identity::member::Member;
use domain::media::{Media, MediaState};
use domain::number::PhoneNumber;
use domain::{Failure, Mode};

use super::items::{Items, organization_of};
use crate::identity::member::{MEMBERS, OWNERS};
use crate::keys::{self, Key, KeyClass};
use crate::limits::counter::Counter;
use crate::limits::recount::{counts_chat_number, counts_profile};
use crate::testing::playground::{GivenOut, Role};

const APP_KEYS: &str = "keys";
const APP_WEBHOOKS: &str = "webhooks";
const UPLOADS: &str = "uploads";

/// A counter that differs from the number of items that it counts.
#[derive(Debug)]
pub struct Miscount {
    pub(super) key: Key,
    pub counter: &'static str,
    /// The id of the organization or app that it belongs to.
    pub of: String,
    pub seen: i64,
    pub counted: i64,
}

impl Miscount {
    /// Corrects the counter in `items`, as `Maintenance::correct` does in the table.
    pub fn correct_in(&self, items: &mut Items) {
        items.set_counter(&self.key, self.counter, self.counted);
    }
}

type Counts = BTreeMap<(Key, &'static str), i64>;

/// Returns all counters of organizations and apps that are wrong.
pub fn miscounts(items: &Items) -> Result<Vec<Miscount>, Failure> {
    let mut counts = Counts::new();
    count_of_organizations(items, &mut counts)?;
    count_of_apps(items, &mut counts)?;
    count_pending_uploads(items, &mut counts)?;

    count_members(items, &mut counts)?;

    let mut wrong = Vec::new();
    for ((key, counter), counted) in counts {
        let seen = items.counter(&key, counter);
        if seen != counted {
            let of = match key.class() {
                Some(KeyClass::App) => items.get::<App>(&key)?.map(|app| app.id.to_string()).unwrap_or_default(),
                _ => organization_of(&key)?.to_string(),
            };
            wrong.push(Miscount { key, counter, of, seen, counted });
        }
    }
    Ok(wrong)
}

fn count_of_organizations(items: &Items, counts: &mut Counts) -> Result<(), Failure> {
    let mut count = |organization: &OrganizationId, counter: Counter, mode: Mode, more| {
        for attribute in counter.attributes(mode) {
            *counts.entry((keys::counters(organization), *attribute)).or_default() += more;
        }
    };

    for (key, _) in items.of(KeyClass::Organization) {
        let organization = organization_of(key)?;
        if *key == keys::organization(&organization) {
            for mode in Mode::ALL {
                Counter::ALL.into_iter().for_each(|counter| count(&organization, counter, mode, 0));
            }
        }
    }

    for key in items.all::<AdminKey>(KeyClass::AdminKey)? {
        count(&key.organization()?, Counter::AdminKeys, key.entity.id.mode(), 1);
    }
    for app in items.all::<App>(KeyClass::App)? {
        count(&app.organization()?, Counter::Apps, app.entity.id.mode(), 1);
    }
    for number in items.all::<PhoneNumber>(KeyClass::PhoneNumber)? {
        count(&number.organization()?, Counter::PhoneNumbers, number.entity.id.mode(), 1);
    }

    for given in items.all::<GivenOut>(KeyClass::PlaygroundNumber)? {
        if given.entity.role == Role::User {
            count(&given.organization()?, Counter::PlaygroundUsers, Mode::Test, 1);
        }
    }

    for profile in items.all::<ChatBusinessProfile>(KeyClass::Profile)? {
        let organization = profile.organization()?;
        if counts_profile(&organization, &profile.entity) {
            count(&organization, Counter::ChatBusinessProfiles, profile.entity.mode, 1);
        }
    }

    for number in items.all::<ChatPhoneNumber>(KeyClass::ChatNumber)? {
        if counts_chat_number(&number.entity) {
            count(&number.organization()?, Counter::ChatPhoneNumbers, number.entity.id.mode(), 1);
        }
    }
    Ok(())
}

fn count_members(items: &Items, counts: &mut Counts) -> Result<(), Failure> {
    for organization in items.organizations()? {
        for counter in [MEMBERS, OWNERS] {
            counts.insert((keys::counters(&organization), counter), 0);
        }
    }
    for member in items.all::<Member>(KeyClass::Member)? {
        let counters = keys::counters(&member.organization()?);
        *counts.entry((counters.clone(), MEMBERS)).or_default() += 1;
        *counts.entry((counters, OWNERS)).or_default() += i64::from(member.entity.is_active_owner());
    }
    Ok(())
}

fn count_of_apps(items: &Items, counts: &mut Counts) -> Result<(), Failure> {
    for (key, _) in items.of(KeyClass::App) {
        counts.insert((key.clone(), APP_KEYS), 0);
        counts.insert((key.clone(), APP_WEBHOOKS), 0);
    }
    let mut count = |app: Key, counter| {
        counts.entry((app, counter)).and_modify(|count| *count += 1);
    };
    for key in items.all::<AppKey>(KeyClass::AppKey)? {
        count(keys::app(&key.organization()?, &key.entity.app_id), APP_KEYS);
    }
    for webhook in items.all::<Webhook>(KeyClass::Webhook)? {
        count(keys::app(&webhook.organization()?, &webhook.entity.app_id), APP_WEBHOOKS);
    }
    Ok(())
}

/// Counts pending uploads for the counters that exist. Counters expire, and an upload whose counter has expired no
/// longer counts.
fn count_pending_uploads(items: &Items, counts: &mut Counts) -> Result<(), Failure> {
    for (key, _) in items.of(KeyClass::Spent).filter(|(key, _)| keys::is_pending_uploads(key)) {
        counts.insert((key.clone(), UPLOADS), 0);
    }
    for media in items.all::<Media>(KeyClass::Media)? {
        let key = keys::pending_uploads(&media.organization()?, &media.entity.app_id);
        if media.entity.state == MediaState::Pending && media.entity.is_direct {
            counts.entry((key, UPLOADS)).and_modify(|count| *count += 1);
        }
    }
    Ok(())
}
