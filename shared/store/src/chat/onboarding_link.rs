//! Onboarding links, each with the credential under which its token is looked up, and the places that open links take. A
//! link frees its place when it ends. A link that expires does not, so the places of expired links are freed when there are
//! no others.

use domain::chat::onboarding_link::OPEN_LINKS_PER_ORGANIZATION;
use domain::chat::{LinkStatus, OnboardingLink};
use domain::identity::holder::{Credential, Holder};
use domain::{Failure, Mode, Timestamp};

use super::advance;
use crate::engine::change::{Change, Refused, fail_with, never};
use crate::engine::expression::Update;
use crate::engine::item::{Item, NewItem, number};
use crate::engine::page::{Page, PageRequest};
use crate::{OrganizationStore, keys};

/// The attributes with the places of each mode: sets of texts `<milliseconds of the expiry>.<ksuid>`. Earlier versions
/// kept the places of test links under the name of the live ones. These places are freed like any other: when their
/// links end.
const LIVE: &str = "places";
const TEST: &str = "testPlaces";

fn places_of(mode: Mode) -> &'static str {
    if mode.is_test() { TEST } else { LIVE }
}

fn place(link: &OnboardingLink) -> String {
    format!("{}.{}", link.expires_at.millis(), link.id.ksuid())
}

/// Returns the places of a mode whose links have expired.
fn expired_places(item: &Item, mode: Mode, now: Timestamp) -> Vec<String> {
    let places = item.get(places_of(mode)).and_then(|places| places.as_ss().ok()).into_iter().flatten();
    let has_expired = |place: &&String| {
        let expiry = place.split_once('.').and_then(|(expiry, _)| expiry.parse::<i64>().ok());
        expiry.is_some_and(|expiry| expiry <= now.millis())
    };
    places.filter(has_expired).cloned().collect()
}

impl OrganizationStore {
    /// Returns a page of links, newest first.
    pub async fn onboarding_links(&self, modes: &[Mode], page: &PageRequest) -> Result<Page<OnboardingLink>, Failure> {
        let lists = modes.iter().map(|&mode| keys::onboarding_links(&self.organization, mode));
        self.table.page(lists.collect(), page).await
    }

    /// Frees the places of links that have expired.
    pub async fn free_expired_links(&self, now: Timestamp) -> Result<(), Failure> {
        let key = keys::open_onboarding_links(&self.organization);
        let open = self.table.get(&key).await?.unwrap_or_default();
        let mut update = Update::new(key);
        for mode in Mode::ALL {
            let expired = expired_places(&open, mode, now);
            if !expired.is_empty() {
                update = update.remove_members(places_of(mode), expired);
            }
        }
        if !update.changes_nothing() {
            self.table.try_update(update).await?.ok();
        }
        Ok(())
    }
}

impl Change {
    /// Creates a link and its credential, unless the organization has reached the limit. Stale if the places of expired
    /// links can be freed.
    pub fn create_onboarding_link(&mut self, link: &OnboardingLink) -> Result<(), Failure> {
        self.require_organization();
        let item = NewItem::new(&keys::onboarding_link(&self.organization, &link.id), link)?;
        let exists = || Failure::internal("a newly minted link id already exists");
        self.create(item.expiring(link.kept_until()), fail_with(exists));
        let holder = Holder::OnboardingLink { link_id: link.id.clone() };
        let expires_at = Some(link.kept_until());
        let credential = Credential::without_limits(self.organization.clone(), holder, expires_at);
        self.create_credential(&link.token_hash, &credential)?;

        let mode = link.id.mode();
        let places = places_of(mode);
        let update = Update::new(keys::open_onboarding_links(&self.organization))
            .add_member(places, &place(link))
            .set_if_absent("v", &1)?
            .when(&format!("attribute_not_exists(#{places}) OR size(#{places}) < :most"))
            .value(":most", number(OPEN_LINKS_PER_ORGANIZATION));
        let now = link.created_at;
        let refuse = move |item: Option<&Item>| match item {
            Some(item) if !expired_places(item, mode, now).is_empty() => Refused::Stale,
            _ => Refused::With(Failure::limit(
                "onboardingLinks",
                format!(
                    "An organization may have at most {OPEN_LINKS_PER_ORGANIZATION} open onboarding links in {} mode. Cancel some, or wait until they expire.",
                    mode.as_str()
                ),
            )),
        };
        self.update(update, Box::new(refuse));
        Ok(())
    }

    /// Writes a link, and frees its place if it has ended. Stale if its revision has changed.
    pub fn update_onboarding_link(&mut self, before: &OnboardingLink, after: &OnboardingLink) -> Result<(), Failure> {
        let key = keys::onboarding_link(&self.organization, &before.id);
        advance(self, key, before, after, before.revision, &[])?;
        if after.status != LinkStatus::Pending {
            let open = Update::new(keys::open_onboarding_links(&self.organization));
            let ended = open.remove_member(LIVE, &place(before));
            let is_test = before.id.mode().is_test();
            self.update(if is_test { ended.remove_member(TEST, &place(before)) } else { ended }, never());
        }
        Ok(())
    }
}
