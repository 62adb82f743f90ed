//! Groups. The platform creates a group some time after a request for it. Updates about a group that arrive before the
//! group is known are stored as early updates and applied once it is.

use std::time::Duration;

use domain::chat::{Group, Member};
use domain::id::{ChatGroupId, ChatPhoneNumberId};
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::advance;
use aws_sdk_dynamodb::types::AttributeValue;

use crate::engine::change::{Change, Refused, never, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, TTL, entities, number as number_value, value};
use crate::engine::page::{Page, PageRequest};
use crate::{OrganizationStore, keys};

/// The highest number of early updates that are kept for one group, and the highest size of each in bytes: together they stay
/// below the size of an item.
const MOST_NEWS: u32 = 20;
pub const LARGEST_NEWS: usize = 16 * 1024;
/// How long after a request the platform's notification about the group is expected.
const REQUEST_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GroupReference {
    pub(super) group_id: ChatGroupId,
}

/// A notification about a group that arrived before the response to the request for it was processed.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlyGroup {
    pub provider_group_id: Option<String>,
    pub invite_link: Option<String>,
    pub has_failed: bool,
    /// The people who were added with the creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
}

/// The group of a request, or the notification that arrived before the group was known.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestedGroup {
    Known(ChatGroupId),
    Early(EarlyGroup),
}

impl OrganizationStore {
    /// Returns a page of the groups of a number, newest first.
    pub async fn groups_of_number(
        &self,
        number: &ChatPhoneNumberId,
        page: &PageRequest,
    ) -> Result<Page<Group>, Failure> {
        let partition = keys::groups_of_number(&self.organization, number);
        let listed: Page<GroupReference> = self.table.page(vec![partition], page).await?;
        let ids: Vec<_> = listed.items.into_iter().map(|reference| reference.group_id).collect();
        let keys: Vec<_> = ids.iter().map(|id| keys::group(&self.organization, id)).collect();
        let mut groups: Vec<Group> =
            if keys.is_empty() { Vec::new() } else { entities(self.table.get_all(&keys).await?)? };
        groups.sort_by_key(|group| ids.iter().position(|id| *id == group.id));
        Ok(Page { items: groups, next: listed.next })
    }
}

impl Change {
    /// Keeps an update about a group that is not known yet, until the platform has confirmed the request for it. The update
    /// has at most [`LARGEST_NEWS`] bytes. Stale if the group has become known concurrently.
    pub fn note_early_group_news(
        &mut self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
        news: &str,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::group_of_platform(&self.organization, number, platform_id))
            .add_member("news", news)
            .set(TTL, &now.plus(REQUEST_KEPT).seconds())?
            .when("attribute_not_exists(#groupId)")
            .when("attribute_not_exists(#news) OR size(#news) < :most")
            .value(":most", number_value(MOST_NEWS));
        self.update(
            update,
            Box::new(|item| match item {
                // No group that awaits its request receives this many updates, so the update is dropped.
                Some(item) if !item.contains_key("groupId") => Refused::AlreadyDone,
                _ => Refused::Stale,
            }),
        );
        Ok(())
    }

    /// Creates a group that was requested from the platform. `early` is the notification about it that has already
    /// arrived, if there is one. Stale if another notification has arrived since it was read.
    pub fn create_group(
        &mut self,
        group: &Group,
        early: Option<&EarlyGroup>,
        news: &[String],
        now: Timestamp,
    ) -> Result<(), Failure> {
        let number = &group.chat_phone_number_id;
        let reference = GroupReference { group_id: group.id.clone() };
        let request =
            NewItem::new(&keys::group_of_request(&self.organization, number, &group.provider_request_id), &reference)?
                .expiring(now.plus(REQUEST_KEPT));
        let condition =
            if early.is_none() { Condition::absent() } else { Condition::new("attribute_not_exists(#groupId)") };
        self.put_if(request, condition, stale());

        self.create_entity(&keys::group(&self.organization, &group.id), group)?;
        self.create_entity(&keys::group_of_number(&self.organization, number, &group.id), &reference)?;
        self.name_group(group, news)
    }

    fn name_group(&mut self, group: &Group, news: &[String]) -> Result<(), Failure> {
        let Some(platform_id) = &group.provider_group_id else { return Ok(()) };
        let reference = GroupReference { group_id: group.id.clone() };
        let key = keys::group_of_platform(&self.organization, &group.chat_phone_number_id, platform_id);
        // Only if the early updates are exactly those that this change applies.
        let condition = match news {
            [] => Condition::new("attribute_not_exists(#news) AND attribute_not_exists(#groupId) OR #groupId = :own"),
            news => Condition::new("#news = :news AND attribute_not_exists(#groupId) OR #groupId = :own")
                .value(":news", AttributeValue::Ss(news.to_vec())),
        };
        self.put_if(NewItem::new(&key, &reference)?, condition.value(":own", value(&group.id)?), stale());
        Ok(())
    }

    /// Writes the differences between two states of a group. `news` are the early updates that the change applies,
    /// which arrived before the group's platform id was known.
    pub fn update_group(&mut self, before: &Group, after: &Group, news: &[String]) -> Result<(), Failure> {
        if after.provider_group_id != before.provider_group_id {
            self.name_group(after, news)?;
        }
        advance(self, keys::group(&self.organization, &before.id), before, after, before.revision, &[])
    }

    /// Keeps a notification that arrived before the response to its request. Stale if the group has become known
    /// concurrently.
    pub fn note_early_group(
        &mut self,
        number: &ChatPhoneNumberId,
        request_id: &str,
        early: &EarlyGroup,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let item = NewItem::new(&keys::group_of_request(&self.organization, number, request_id), early)?
            .expiring(now.plus(REQUEST_KEPT));
        self.put_if(item, Condition::new("attribute_not_exists(#groupId)"), stale());
        Ok(())
    }

    /// Deletes the reference from the platform's id to the group.
    pub fn forget_platform_group(&mut self, group: &Group) {
        if let Some(platform_id) = &group.provider_group_id {
            let key = keys::group_of_platform(&self.organization, &group.chat_phone_number_id, platform_id);
            self.delete(key, Condition::default(), never());
        }
    }
}
