//! Inbound messages, and echoes: messages that the business sent from its phone.

use aws::queue::Job;
use domain::chat::status::{Person, RecipientRef, StatusUpdate};
use domain::chat::{ChatMessage, ChatMessageType, Direction, RecipientStatus};
use domain::event::EventName;
use domain::id::ChatMessageId;
use domain::{Failure, Timestamp};
use futures_util::future::try_join_all;
use futures_util::try_join;
use store::{Change, ChatRecord, EarlyRevisions, NamedMessage, Revisions, Stored, StoredChat};

use crate::apply::{Decision, UpdateHandler};
use crate::content::{Links, fill, member, references, with_member};
use crate::lenient;
use crate::seen::Seen;
use crate::size::LARGEST_BODY;
use crate::wire::{Message, Sender, unreadable};

/// The member of `systemData` with what the statuses of a message left.
pub(crate) const STATUSES: &str = "statuses";
/// The name under which the callback data of others than this service are kept.
pub(crate) const CALLBACK_DATA: &str = "biz_opaque_callback_data";

/// What is stored of a message when an update about it is applied.
#[derive(Default)]
pub(crate) struct Before {
    pub(crate) stored: Option<StoredChat>,
    pub(crate) early: Option<EarlyRevisions>,
}

impl Before {
    /// Returns what was reported of the message before its content.
    fn early_revisions(&self) -> Option<EarlyRevisions> {
        self.early.or_else(|| self.stored.as_ref()?.reported.early_revisions)
    }
}

/// Shows when the message was edited and revoked, as far as its sender reported that.
pub(crate) fn show_revisions(stored: &mut StoredChat, early: Option<&EarlyRevisions>) {
    let message = &mut stored.tracked.message;
    let revisions = early.copied().unwrap_or_default().of(message.direction);
    (message.edited_at, message.revoked_at) = (revisions.edited_at, revisions.revoked_at);
}

/// An edit or a revocation of a message.
struct Revised<'a> {
    platform_id: &'a str,
    is_revocation: bool,
    at: Timestamp,
    /// The direction of the message that reports it, which is also the original's.
    direction: Direction,
}

impl Revised<'_> {
    /// The latest edit and the earliest revocation count, in whatever order they arrive.
    fn after(&self, known: Revisions) -> Revisions {
        let at = self.at;
        match self.is_revocation {
            true => Revisions { revoked_at: Some(known.revoked_at.map_or(at, |earlier| earlier.min(at))), ..known },
            false => Revisions { edited_at: Some(known.edited_at.map_or(at, |earlier| earlier.max(at))), ..known },
        }
    }

    fn noted_in(&self, early: Option<EarlyRevisions>) -> EarlyRevisions {
        let mut early = early.unwrap_or_default();
        early.set(self.direction, self.after(early.of(self.direction)));
        early
    }
}

impl UpdateHandler<'_> {
    /// Returns what is stored of the message with this id at the platform.
    pub(crate) async fn before(&self, platform_id: &str) -> Result<Before, Failure> {
        match self.store.message_of_platform(self.number_id()?, platform_id).await? {
            None => Ok(Before::default()),
            Some(NamedMessage::Early(early)) => Ok(Before { stored: None, early: Some(early) }),
            Some(NamedMessage::Known(id)) => Ok(Before { stored: self.store.message(&id).await?, early: None }),
        }
    }

    async fn links(&self, message: &Message<'_>) -> Result<Links, Failure> {
        let lookups = references(message).into_iter().map(|id| async move {
            let known = self.store.message_id_of_platform(self.number_id()?, &id).await?;
            Ok::<_, Failure>(known.map(|known| (id, known.to_string())))
        });
        Ok(try_join_all(lookups).await?.into_iter().flatten().collect())
    }

    /// Returns the id of a group, or the platform's id if the group is not known here.
    pub(crate) async fn group_id(&self, platform_id: Option<String>) -> Result<Option<String>, Failure> {
        let Some(platform_id) = platform_id else { return Ok(None) };
        let known = self.store.group_id_of_platform(self.number_id()?, &platform_id).await?;
        Ok(Some(known.map_or(platform_id, |id| id.to_string())))
    }

    /// Returns a message without content.
    pub(crate) async fn blank(&self, direction: Direction, platform_id: &str) -> Result<StoredChat, Failure> {
        let (number, retention) = try_join!(self.number(), self.store.message_retention())?;
        let id = ChatMessageId::mint(number.id.mode(), self.now, self.inbox.context.random());
        let (number, display) = (&number.id, &number.display_phone_number);
        let mut message = ChatMessage::blank(id, number, display, direction, ChatMessageType::Unknown, self.now);
        message.provider_message_id = Some(platform_id.to_owned());
        Ok(Stored::new(ChatRecord::new(message), retention))
    }

    fn media_job(&self, stored: &StoredChat) -> Option<Job> {
        stored.is_waiting_for_media().then(|| Job::FetchMedia {
            v: aws::queue::VERSION,
            organization_id: self.organization().clone(),
            profile_id: self.route.profile_id.clone(),
            number_id: stored.message().chat_phone_number_id.clone(),
            message_id: stored.message().id.clone(),
        })
    }

    /// Reads the contact that the notification adds to the message.
    fn introduced(&self) -> Sender {
        let contact = self.update.contact.as_deref().and_then(|contact| lenient::read(contact, Sender::read));
        contact.map(|reading| reading.value).unwrap_or_default()
    }

    /// Stores an inbound message. A repeated one changes nothing, but its media is requested again while it is pending.
    pub(crate) async fn message(&self) -> Result<Decision, Failure> {
        let (sent, left) = self.read(Message::read)?;
        let id = sent.id.clone().ok_or_else(|| unreadable("a message has no id"))?;
        let introduced = self.introduced();
        let at = sent.timestamp.unwrap_or_else(|| self.reported_at());
        // Repeated messages are rare, so the data for a new message is read while checking whether it is one.
        let (known, mut stored, links, group_id, contact, original) = try_join!(
            self.before(&id),
            self.blank(Direction::Inbound, &id),
            self.links(&sent),
            self.group_id(sent.group_id.clone()),
            self.contact(Seen::of_message(&sent, &introduced, at)),
            self.original(&sent, &id)
        )?;

        if let Some(known) = known.stored.as_ref().filter(|known| known.message().direction == Direction::Inbound) {
            return Ok(Decision { change: self.change(), afterwards: self.media_job(known) });
        }
        if known.stored.as_ref().is_some_and(|known| known.reported.is_filled) {
            return Ok(Decision::from(self.misdirected()));
        }

        show_revisions(&mut stored, known.early_revisions().as_ref());
        let message = &mut stored.record.tracked.message;
        if let Some(status) = &known.stored {
            // A status came first. It was not about an outbound message, as it seemed.
            (message.id, message.created_at) = (status.message().id.clone(), status.message().created_at);
            stored.kept.revision = status.kept.revision + 1;
        }
        let sender = sent.sender(&introduced);
        (message.from_phone_number, message.from_user_id) = (sender.phone_number, sender.user_id);
        message.group_id = group_id;
        message.sent_at = sent.timestamp.or_else(|| self.update.time.map(|_| self.reported_at()));
        message.contact_name = introduced.name;
        message.is_truncated = self.update.is_truncated.then_some(true);
        let is_revocation = sent.is_revocation();
        let links = with_original(links, original.as_ref(), self.now);
        fill(&mut stored, sent, &self.update.body, &left, &links);
        self.find_upload(&mut stored).await?;

        let mut change = self.change();
        match &known.stored {
            Some(before) => change.update_message(before, &stored)?,
            None => change.create_revised_message(&stored, known.early.as_ref())?,
        }
        contact.write(self, &mut change)?;
        if let Some((platform_id, original)) = original {
            let revised = Revised { platform_id: &platform_id, is_revocation, at, direction: Direction::Inbound };
            self.revise(&mut change, original, &revised)?;
        }

        let event = self
            .event_for_apps_of_number(EventName::MessagesChatReceived, &views::chat_message(stored.record.clone()))?;
        change.emit(&event)?;
        Ok(Decision { change, afterwards: self.media_job(&stored) })
    }

    /// Returns the message that this one edits or revokes, with its id at the platform.
    async fn original(&self, sent: &Message<'_>, own_id: &str) -> Result<Option<(String, Before)>, Failure> {
        let original = sent.revision.as_ref().and_then(|revision| revision.original_id.clone());
        match original.filter(|id| id != own_id) {
            None => Ok(None),
            Some(id) => Ok(Some((id.clone(), self.before(&id).await?))),
        }
    }

    /// Marks a message as edited or revoked by its sender. If its content is not known yet, that is stored until it is.
    fn revise(&self, change: &mut Change, original: Before, revised: &Revised<'_>) -> Result<(), Failure> {
        let Some(before) = original.stored else {
            let (number, known) = (self.number_id()?, original.early.as_ref());
            let after = revised.noted_in(original.early);
            return change.note_early_revisions(number, revised.platform_id, known, &after, self.now);
        };

        let mut after = before.clone();
        let direction = before.message().direction;
        if direction == Direction::Outbound && !before.reported.is_filled {
            let early = revised.noted_in(before.reported.early_revisions);
            after.reported.early_revisions = Some(early);
            show_revisions(&mut after, Some(&early));
        } else if direction == revised.direction {
            let message = &mut after.tracked.message;
            let known = Revisions { edited_at: message.edited_at, revoked_at: message.revoked_at };
            let revisions = revised.after(known);
            (message.edited_at, message.revoked_at) = (revisions.edited_at, revisions.revoked_at);
        }

        if after == before {
            return Ok(());
        }
        after.tracked.message.updated_at = self.now;
        after.kept.revision += 1;
        change.update_message(&before, &after)
    }

    /// Stores the content of an outbound message and that it was sent. Earlier statuses may have created the message.
    pub(crate) async fn echo(&self) -> Result<Decision, Failure> {
        let (sent, left) = self.read(Message::read)?;
        let id = sent.id.clone().ok_or_else(|| unreadable("an echo has no id"))?;
        let sent_at = sent.timestamp.unwrap_or_else(|| self.reported_at());
        let before = self.before(&id).await?;
        match &before.stored {
            Some(known) if known.message().direction == Direction::Inbound => {
                return Ok(Decision::from(self.misdirected()));
            }
            Some(known) if known.reported.is_filled => return Ok(Decision::from(self.change())),
            _ => {}
        }

        let mut after = match &before.stored {
            Some(known) => known.clone(),
            None => self.blank(Direction::Outbound, &id).await?,
        };
        let read = try_join!(self.links(&sent), self.group_id(sent.group_id.clone()), self.original(&sent, &id));
        let (links, group_id, original) = read?;
        let (links, is_revocation) = (with_original(links, original.as_ref(), self.now), sent.is_revocation());
        let person = if group_id.is_some() { Person::default() } else { sent.recipient() };
        let recipient = if group_id.is_some() { RecipientRef::Group } else { RecipientRef::Only(person.clone()) };

        // Keep what statuses reported: an echo carries no error.
        let known = after.clone();
        fill(&mut after, sent, &self.update.body, &left, &links);
        self.find_upload(&mut after).await?;
        for name in [STATUSES, CALLBACK_DATA] {
            let Some(kept) = member(known.data.system_data.as_ref(), name) else { continue };
            let both = with_member(after.data.system_data.as_ref(), name, &kept);
            if both.as_str().len() <= LARGEST_BODY {
                after.data.system_data = Some(both);
            }
        }
        let (message, known) = (&mut after.tracked.message, known.record.tracked.message);
        message.group_id = group_id.or(known.group_id);
        message.error_code = known.error_code;
        message.error_title = known.error_title;
        message.error_message = known.error_message;
        message.error_details = known.error_details;
        message.is_truncated = self.update.is_truncated.then_some(true);
        show_revisions(&mut after, before.early_revisions().as_ref());

        (after.reported.is_filled, after.reported.early_revisions) = (true, None);
        let status =
            StatusUpdate { recipient, status: RecipientStatus::Sent, at: sent_at, error: None, conversation: None };
        let event = after.tracked.record(&status, self.now);
        after.tracked.message.updated_at = self.now;

        let mut change = self.write(&before, &mut after, event)?;
        self.meet(person, sent_at, &mut change).await?;
        if let Some((platform_id, original)) = original {
            let revised =
                Revised { platform_id: &platform_id, is_revocation, at: sent_at, direction: Direction::Outbound };
            self.revise(&mut change, original, &revised)?;
        }
        Ok(Decision { change, afterwards: self.media_job(&after) })
    }
}

/// Adds the message that a revision names to those that are known, if it is stored.
fn with_original(mut links: Links, original: Option<&(String, Before)>, now: Timestamp) -> Links {
    if let Some((platform_id, before)) = original {
        // A message that has ended is hidden, although the table may still have it and the reference to it.
        match before.stored.as_ref().filter(|known| !known.has_ended(now)) {
            Some(known) => links.insert(platform_id.clone(), known.message().id.to_string()),
            None => links.remove(platform_id),
        };
    }
    links
}
