//! Verification of the counters behind the limits: they are compared with the items that they count.

use std::collections::{BTreeMap, BTreeSet};

use domain::Failure;
use domain::app::App;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::key::AppKey;
use domain::media::{Media, MediaState};
use domain::number::PhoneNumber;
use domain::webhook::Webhook;

use super::items::{Items, organization_of};
use crate::keys::{self, Key, KeyClass};
use crate::organization::Counter;
use crate::playground::{GivenOut, Role};

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
    let mut count = |organization: &OrganizationId, counter: Counter, more| {
        *counts.entry((keys::counters(organization), counter.attribute())).or_default() += more;
    };
    for (key, _) in items.of(KeyClass::Organization) {
        let organization = organization_of(key)?;
        if *key == keys::organization(&organization) {
            Counter::ALL.into_iter().for_each(|counter| count(&organization, counter, 0));
        }
    }
    for (class, counter) in [(KeyClass::AdminKey, Counter::AdminKeys), (KeyClass::App, Counter::Apps)] {
        for (key, _) in items.of(class) {
            count(&organization_of(key)?, counter, 1);
        }
    }
    // The SMS numbers that test apps are made with are not counted, because apps are limited.
    for number in items.all::<PhoneNumber>(KeyClass::PhoneNumber)? {
        if !number.entity.is_system {
            count(&number.organization()?, Counter::PhoneNumbers, 1);
        }
    }
    let mut given_to_apps = BTreeSet::new();
    for given in items.all::<GivenOut>(KeyClass::PlaygroundNumber)? {
        let organization = given.organization()?;
        match given.entity.role {
            Role::User => count(&organization, Counter::PlaygroundUsers, 1),
            Role::System => {
                given_to_apps.insert((organization, given.entity.number));
            }
        }
    }
    // The playground's profile and the chat numbers of test apps are not counted, because apps are limited.
    for profile in items.all::<ChatBusinessProfile>(KeyClass::Profile)? {
        let organization = profile.organization()?;
        if profile.entity.id != ChatBusinessProfileId::of_playground(&organization) {
            count(&organization, Counter::ChatBusinessProfiles, 1);
        }
    }
    for number in items.all::<ChatPhoneNumber>(KeyClass::ChatNumber)? {
        let own = (number.organization()?, number.entity.display_phone_number);
        if !given_to_apps.contains(&own) {
            count(&own.0, Counter::ChatPhoneNumbers, 1);
        }
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
