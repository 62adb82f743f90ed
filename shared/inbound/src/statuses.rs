//! Statuses of outbound messages. A status for an unknown message creates it.

use domain::chat::status::{ConversationNote, Person, RecipientRef, StatusUpdate};
use domain::chat::{Direction, Outcome, RecipientStatus};
use domain::event::EventName;
use domain::{Failure, Json, Timestamp};
use store::{Change, StoredChat};

use crate::apply::UpdateHandler;
use crate::content::{member, with_member};
use crate::lenient::Left;
use crate::messages::{Before, CALLBACK_DATA, STATUSES, show_revisions};
use crate::origin::Origin;
use crate::seen::Seen;
use crate::simulated::exceeds_bounds;
use crate::size::LARGEST_BODY;
use crate::wire::{Status, unreadable};

/// The longest name of a status that becomes a name in `systemData`.
const LONGEST_NAME: usize = 32;
/// The type of statuses that are those of messages. Most have none.
const MESSAGE: &str = "message";

/// Returns the status of a message; `None` for other statuses, such as those of payments.
fn known_status(sent: &Status) -> Option<RecipientStatus> {
    if sent.kind.as_deref().is_some_and(|kind| kind != MESSAGE) {
        return None;
    }
    match sent.status.as_deref()?.to_ascii_lowercase().as_str() {
        "sent" => Some(RecipientStatus::Sent),
        "delivered" => Some(RecipientStatus::Delivered),
        "read" | "played" => Some(RecipientStatus::Read),
        "failed" => Some(RecipientStatus::Failed),
        _ => None,
    }
}

fn recipient(status: &Status) -> RecipientRef {
    match &status.group_id {
        _ if !status.participant.is_unknown() => RecipientRef::Member(status.participant.clone()),
        Some(_) => RecipientRef::Group,
        None => RecipientRef::Only(status.recipient.clone()),
    }
}

fn conversation(status: &Status) -> Option<ConversationNote> {
    let (conversation, pricing) = (status.conversation.as_ref(), status.pricing.as_ref());
    (conversation.is_some() || pricing.is_some()).then(|| ConversationNote {
        id: conversation.and_then(|conversation| conversation.id.clone()),
        origin_type: conversation.and_then(|conversation| conversation.origin_type.clone()),
        expires_at: conversation.and_then(|conversation| conversation.expires_at),
        pricing_model: pricing.and_then(|pricing| pricing.pricing_model.clone()),
        pricing_type: pricing.and_then(|pricing| pricing.kind.clone()),
        pricing_category: pricing.and_then(|pricing| pricing.category.clone()),
        pricing_billable: pricing.and_then(|pricing| pricing.billable),
    })
}

/// Returns the object with JSON under a name. If there is some already, the lower text is kept, so that the result does
/// not depend on the order of statuses.
fn with_lower(object: Option<&Json>, name: &str, json: &Json) -> Json {
    let known = member(object, name).filter(|known| known.as_str() <= json.as_str());
    with_member(object, name, known.as_ref().unwrap_or(json))
}

/// Keeps JSON under a name in `systemData`, as long as there is room for it.
fn keep(stored: &mut StoredChat, name: &str, json: &Json) {
    let data = with_lower(stored.data.system_data.as_ref(), name, json);
    if data.as_str().len() <= LARGEST_BODY {
        stored.data.system_data = Some(data);
    }
}

/// Keeps the part of a status that no field holds.
fn keep_left(stored: &mut StoredChat, name: &str, left: &Json) {
    let statuses = member(stored.data.system_data.as_ref(), STATUSES);
    let statuses = with_lower(statuses.as_ref(), name, left);
    let data = with_member(stored.data.system_data.as_ref(), STATUSES, &statuses);
    if data.as_str().len() <= LARGEST_BODY {
        stored.data.system_data = Some(data);
    }
}

/// Returns the name under which the rest of a status is kept.
fn name(sent: &Status) -> String {
    let name = sent.kind.as_deref().filter(|kind| *kind != MESSAGE).or(sent.status.as_deref()).unwrap_or("unknown");
    name.chars().filter(char::is_ascii_alphanumeric).take(LONGEST_NAME).collect()
}

impl UpdateHandler<'_> {
    pub(crate) async fn status(&self) -> Result<Change, Failure> {
        let (sent, left) = self.read(Status::read)?;
        let id = sent.id.clone().ok_or_else(|| unreadable("a status has no id"))?;
        let at = sent.timestamp.unwrap_or_else(|| self.reported_at());
        let before = match self.origin(&sent, &id).await? {
            Origin::Here(message) => Before { stored: Some(*message), early: None },
            Origin::Elsewhere => self.before(&id).await?,
            Origin::Contradictory => {
                return Ok(self.idle("The callback data name a message that was not sent with this id."));
            }
        };
        if before.stored.as_ref().is_some_and(|known| known.message().direction == Direction::Inbound) {
            return Ok(self.misdirected());
        }
        // It would create the message again, which names a person who asked to be forgotten.
        if before.stored.is_none() && self.store.was_erased(self.number_id()?, &id).await? {
            return Ok(self.idle("The message was erased."));
        }
        let mut after = match &before.stored {
            Some(known) => known.clone(),
            None => self.blank(Direction::Outbound, &id).await?,
        };
        let Some(status) = known_status(&sent) else {
            if sent.kind.as_deref().is_none_or(|kind| kind == MESSAGE) {
                self.count_unknown("status", &name(&sent));
            }
            if let Ok(whole) = Json::of(&self.update.body) {
                keep_left(&mut after, &name(&sent), &whole);
            }
            // Any status shows that the platform took the message.
            if matches!(after.tracked.outcome(), Some(Outcome::Pending | Outcome::Unknown)) {
                after.tracked.accept(&id, self.now);
            }
            return self.write_status(&before, &mut after, None);
        };
        self.keep_rest(&mut after, &sent, &left);
        if after.message().group_id.is_none() {
            after.tracked.message.group_id = self.group_id(sent.group_id.clone()).await?;
        }
        let recipient = recipient(&sent);
        let is_met = self.is_met(&before, &recipient);
        let person = match &recipient {
            RecipientRef::Only(person) | RecipientRef::Member(person) => person.clone(),
            RecipientRef::Group => Person::default(),
        };
        after.tracked.message.provider_message_id.get_or_insert_with(|| id.clone());
        let conversation = conversation(&sent);
        let event =
            after.tracked.record(&StatusUpdate { recipient, status, at, error: sent.error, conversation }, self.now);
        let mut change = self.write_status(&before, &mut after, event)?;
        if is_met {
            self.meet(person, at, &mut change).await?;
        }
        Ok(change)
    }

    /// Ties a contact that is known by number or user id to the other one.
    pub(crate) async fn meet(&self, person: Person, at: Timestamp, change: &mut Change) -> Result<(), Failure> {
        if person.phone_number.is_none() || person.user_id.is_none() {
            return Ok(());
        }
        self.contact(Seen::known(person, at)).await?.write(self, change)
    }

    /// Returns whether the status is the first of its message that names the recipient's number together with the user
    /// id, so that a contact that is known by one of them is known by both.
    fn is_met(&self, before: &Before, recipient: &RecipientRef) -> bool {
        let (RecipientRef::Only(person) | RecipientRef::Member(person)) = recipient else { return false };
        let known = before.stored.as_ref().map_or(&[][..], |known| &known.tracked.recipients);
        let is_known = known.iter().any(|known| known.user_id == person.user_id && known.phone_number.is_some());
        person.phone_number.is_some() && person.user_id.is_some() && !is_known
    }

    /// Keeps the callback data of messages that were not sent through this API, and what no field holds.
    fn keep_rest(&self, after: &mut StoredChat, sent: &Status, left: &Left<'_>) {
        let own = format!("{}:", self.organization());
        let foreign = sent.callback_data.as_ref().filter(|data| !data.starts_with(&own));
        if let Some(data) = foreign.and_then(|data| Json::of(data).ok()) {
            keep(after, CALLBACK_DATA, &data);
        }
        if let Some(left) = left.json() {
            keep_left(after, &name(sent), &left);
        }
    }

    /// Works like `write`, unless a made-up status would make a simulated message too large.
    fn write_status(
        &self,
        before: &Before,
        after: &mut StoredChat,
        event: Option<EventName>,
    ) -> Result<Change, Failure> {
        match exceeds_bounds(before.stored.as_ref(), after)? {
            Some(reason) => Ok(self.idle(reason)),
            None => self.write(before, after, event),
        }
    }

    /// Returns the change that writes the message and emits `event`, the event of a status that was reported for the
    /// first time.
    pub(crate) fn write(
        &self,
        before: &Before,
        after: &mut StoredChat,
        event: Option<EventName>,
    ) -> Result<Change, Failure> {
        let mut change = self.change();
        match &before.stored {
            Some(before) if before == after => return Ok(change),
            Some(before) => {
                after.kept.revision += 1;
                change.update_message(before, after)?;
            }
            None => {
                after.reported.early_revisions = before.early.filter(|_| !after.reported.is_filled);
                show_revisions(after, before.early.as_ref());
                change.create_revised_message(after, before.early.as_ref())?;
            }
        }
        if let Some(kind) = event {
            change.emit(&self.event_for_apps_of_number(kind, &views::chat_message(after.record.clone()))?)?;
        }
        Ok(change)
    }
}
