//! Reads of the message log: pages of a number's messages, or of its conversation with one contact.

use domain::id::first_ksuid_at;
use domain::message::status::MessageStatus;
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::page::MESSAGES_LOOKED_AT;
use domain::{Failure, Timestamp};

use super::kind::MessageKind;
use super::stored::{ListItem, Stored, reference_digest};
use crate::engine::item::{Item, entities, entity};
use crate::engine::page::{Page, PageRequest, sort_key};
use crate::engine::table::Range;
use crate::{OrganizationStore, keys};

/// The filter of a list of a number's messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageFilter {
    /// A phone number or a user id of the platform.
    pub contact: Option<String>,
    pub direction: Option<Direction>,
    pub outcome: Option<Outcome>,
    pub status: Option<MessageStatus>,
    pub client_reference: Option<String>,
    /// Only messages that were stored then or later.
    pub since: Option<Timestamp>,
    /// Only messages that were stored before.
    pub until: Option<Timestamp>,
}

impl MessageFilter {
    /// Returns whether list items must be read to find those of the page. A contact and bounds in time only select the
    /// range to read.
    fn selects(&self) -> bool {
        self.direction.is_some() || self.outcome.is_some() || self.client_reference.is_some() || self.status.is_some()
    }

    fn matches(&self, message: &impl MessageKind) -> bool {
        self.direction.is_none_or(|direction| message.direction() == direction)
            && self.outcome.is_none_or(|outcome| message.outcome() == Some(outcome))
            && self.status.is_none_or(|status| message.status() == status)
            && self.client_reference.as_deref().is_none_or(|sent| message.client_reference() == Some(sent))
    }
}

/// The filter of list items. A message that passes it might still not match: items from before there were filters have
/// no direction.
struct ListFilter<'a> {
    filter: &'a MessageFilter,
    reference: Option<String>,
    now: Timestamp,
}

impl ListFilter<'_> {
    /// Returns whether a list item matches, except for the outcome, which items of conversations lack.
    fn passes(&self, item: &ListItem) -> bool {
        let has_ended = item.ttl.is_some_and(|ttl| ttl <= self.now.seconds());
        let direction = self.filter.direction.zip(item.direction).is_none_or(|(wanted, found)| wanted == found);
        let reference = self.reference.is_none() || self.reference == item.reference;
        !has_ended && direction && reference
    }

    fn has_outcome(&self, item: &ListItem) -> bool {
        self.filter.outcome.is_none_or(|wanted| item.outcome.as_ref().is_some_and(|found| *found == wanted))
    }
}

impl OrganizationStore {
    /// Returns a page of a number's messages without their related records, newest first. A page can be short although
    /// more follow: at most 200 list items are read, and with a status as many messages. Messages that have ended are hidden.
    pub async fn messages<M: MessageKind>(
        &self,
        number: &NumberId,
        filter: &MessageFilter,
        page: &PageRequest,
        now: Timestamp,
    ) -> Result<Page<Stored<M>>, Failure> {
        let chosen = self.chosen_messages(number, filter, page, now).await?;
        let ids = chosen.items.iter().filter_map(|id| M::Id::try_from(id.clone()).ok());
        let keys: Vec<_> = ids.map(|id| keys::message(M::CLASS, &self.organization, &id)).collect();
        let mut messages = Stored::<M>::from_main_items(self.table.get_all(&keys).await?)?;
        messages.sort_by_key(|message| chosen.items.iter().position(|id| *id == message.id().clone().into()));
        messages.retain(|message| filter.matches(&message.record) && !message.has_ended(now));
        let is_cut = messages.len() > page.limit;
        messages.truncate(page.limit);
        let last = messages.last().filter(|_| is_cut).map(|last| Into::<MessageId>::into(last.id().clone()));
        let last = last.map(|id| id.ksuid().to_owned());
        Ok(Page { items: messages, next: last.or(chosen.next) })
    }

    async fn chosen_messages(
        &self,
        number: &NumberId,
        filter: &MessageFilter,
        page: &PageRequest,
        now: Timestamp,
    ) -> Result<Page<MessageId>, Failure> {
        let partition = match &filter.contact {
            None => keys::messages_of_number(&self.organization, number),
            Some(contact) => keys::messages_of_contact(&self.organization, number, contact),
        };
        let from = filter.since.map(first_ksuid_at);
        let until = filter.until.map(first_ksuid_at);
        let before = [page.before.as_deref(), until.as_deref()].into_iter().flatten().min();
        let most = if filter.selects() { MESSAGES_LOOKED_AT } else { page.limit + 1 };
        let range = Range { partition, from: from.as_deref(), before, newest_first: true, limit: Some(most) };
        let items = self.table.query(range).await?;
        let looked_at = Page { next: (items.len() == most).then(|| last_key(&items)).flatten(), items };

        let reference = filter.client_reference.as_deref().map(reference_digest);
        let list_filter = ListFilter { filter, reference, now };
        let mut found = Vec::new();
        for item in looked_at.items {
            let key = sort_key(&item).to_owned();
            found.extend(Some((key, entity::<ListItem>(item)?)).filter(|(_, item)| list_filter.passes(item)));
        }
        if filter.contact.is_some() && filter.outcome.is_some() {
            self.add_outcomes(number, &mut found).await?;
        }
        found.retain(|(_, item)| list_filter.has_outcome(item));

        // Only the messages themselves have a status, because it changes more often than everything else.
        let limit = if filter.status.is_some() { found.len() } else { page.limit };
        let is_cut = found.len() > limit;
        found.truncate(limit);
        let next = if is_cut { found.last().map(|(key, _)| key.clone()) } else { looked_at.next };
        Ok(Page { items: found.into_iter().map(|(_, item)| item.message_id).collect(), next })
    }

    /// Adds the outcomes to items of a conversation, from the items in the number's list.
    async fn add_outcomes(&self, number: &NumberId, found: &mut [(String, ListItem)]) -> Result<(), Failure> {
        let of_number = |id: &MessageId| keys::message_of_number(&self.organization, number, id);
        let keys: Vec<_> = found.iter().map(|(_, item)| of_number(&item.message_id)).collect();
        for listed in entities::<ListItem>(self.table.get_all(&keys).await?)? {
            if let Some((_, item)) = found.iter_mut().find(|(_, item)| item.message_id == listed.message_id) {
                item.outcome = listed.outcome;
            }
        }
        Ok(())
    }
}

fn last_key(items: &[Item]) -> Option<String> {
    items.last().map(|last| sort_key(last).to_owned())
}
