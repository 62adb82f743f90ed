//! Inbound messages, and echoes: messages that the business sent from its phone. This module reads the stored state of
//! a message and writes the new one, which `merge.rs` and `revisions.rs` decide.

mod merge;
mod revisions;
#[cfg(test)]
pub(crate) mod tests;

use domain::chat::status::Person;
use domain::chat::{ChatMessage, ChatMessageType, Direction};
use domain::events::event::EventName;
use domain::id::ChatMessageId;
use domain::job::Job;
use domain::message::step::Step;
use domain::{Failure, Timestamp};
use futures_util::future::try_join_all;
use futures_util::try_join;
use store::{Change, ChatRecord, NamedMessage, Stored, StoredChat};

use self::merge::{Arrival, Original, Report, Source, echoed, imported, received, with_original};
use self::revisions::Revised;
use crate::apply::{Decision, UpdateHandler};
use crate::content::{Links, references};
use crate::lenient;
use crate::seen::Seen;
use crate::wire::{Message, Sender, person, unreadable};

pub(crate) use self::merge::{Before, CALLBACK_DATA, STATUSES};

impl UpdateHandler<'_> {
    /// Returns the stored state of the message with this id at the platform.
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

    /// Returns this API's id of a group, or the platform's id if the group is unknown.
    pub(crate) async fn group_id(&self, platform_id: Option<String>) -> Result<Option<String>, Failure> {
        let Some(platform_id) = platform_id else { return Ok(None) };
        let known = self.store.group_id_of_platform(self.number_id()?, &platform_id).await?;
        Ok(Some(known.map_or(platform_id, |id| id.to_string())))
    }

    /// Returns a message without content, which was created now.
    pub(crate) async fn blank(&self, direction: Direction, platform_id: &str) -> Result<StoredChat, Failure> {
        self.blank_at(direction, platform_id, self.now).await
    }

    /// Returns a message without content. Its id begins with the time of its creation, by which the log is sorted.
    async fn blank_at(
        &self,
        direction: Direction,
        platform_id: &str,
        created_at: Timestamp,
    ) -> Result<StoredChat, Failure> {
        let (number, retention) = try_join!(self.number(), self.store.message_retention())?;
        let id = ChatMessageId::mint(number.id.mode(), created_at, self.inbox.context.random());
        let (number, display) = (&number.id, &number.display_phone_number);
        let mut message = ChatMessage::blank(id, number, display, direction, ChatMessageType::Unknown, created_at);
        message.updated_at = self.now;
        message.provider_message_id = Some(platform_id.to_owned());
        Ok(Stored::new(ChatRecord::new(message), retention))
    }

    fn media_job(&self, stored: &StoredChat) -> Option<Job> {
        stored.is_waiting_for_media().then(|| Job::FetchMedia {
            v: domain::job::VERSION,
            organization_id: self.organization().clone(),
            profile_id: self.route.profile_id.clone(),
            number_id: stored.message().chat_phone_number_id.clone(),
            message_id: stored.message().id.clone(),
        })
    }

    /// Reads the contact that the notification adds to the message or preference.
    pub(crate) fn introduced(&self) -> Sender {
        let contact = self.update.contact.as_deref().and_then(|contact| lenient::read(contact, Sender::read));
        contact.map(|reading| reading.value).unwrap_or_default()
    }

    /// Returns when a message counts as created: when it was stored or, if it is of a history, when it was sent.
    fn created_at(&self, sent_at: Timestamp) -> Timestamp {
        if self.is_history() { sent_at.min(self.now) } else { self.now }
    }

    /// Returns why a message of a history is not imported, if there is a reason.
    async fn obstacle(&self, before: &Before, blank: &StoredChat, id: &str) -> Result<Option<Decision>, Failure> {
        if !self.is_history() || before.stored.is_some() {
            return Ok(None);
        }
        if blank.has_ended(self.now) {
            return Ok(Some(self.idle("The message is older than messages are kept.").into()));
        }
        let was_erased = self.store.was_erased(self.number_id()?, id).await?;
        Ok(was_erased.then(|| self.idle("The message was erased.").into()))
    }

    /// Stores an inbound message. A repeated one changes nothing, but its media is requested again while it is pending.
    pub(crate) async fn message(&self) -> Result<Decision, Failure> {
        let (sent, left) = self.read(Message::read)?;
        let id = sent.id.clone().ok_or_else(|| unreadable("a message has no id"))?;
        let introduced = self.introduced();
        let at = sent.timestamp.unwrap_or_else(|| self.reported_at());
        let source = Source::of(&sent, self.is_history());
        // Repeated messages are rare, so the data for a new message is read at the same time as the stored state.
        let (before, blank, links, group_id, contact, original) = try_join!(
            self.before(&id),
            self.blank_at(Direction::Inbound, &id, self.created_at(at)),
            self.links(&sent),
            self.group_id(sent.group_id.clone()),
            self.contact(Seen::of_message(&sent, &introduced, at)),
            self.original(&sent, &id)
        )?;
        match before.arrival(Direction::Inbound, source) {
            Arrival::New => {}
            Arrival::Repeated(known) => {
                return Ok(Decision { change: self.change(), afterwards: self.media_job(known) });
            }
            Arrival::Misdirected => return Ok(Decision::from(self.misdirected())),
        }

        if let Some(idle) = self.obstacle(&before, &blank, &id).await? {
            return Ok(idle);
        }

        let is_revocation = sent.is_revocation();
        let sent_at = sent.timestamp.or_else(|| self.update.time.map(|_| self.reported_at()));
        let links = with_original(links, original.as_ref(), self.now);
        let (body, is_truncated) = (&self.update.body, self.update.is_truncated);
        let report = Report { sent, source, body, left: &left, links: &links, group_id, is_truncated };
        let mut stored = received(&before, blank, report, &introduced, sent_at);
        self.find_upload(&mut stored).await?;

        let mut change = self.change();
        if !self.is_history() {
            let details = stored.record.clone().into_details();
            let event = self.event_for_apps_of_number(EventName::MessagesChatReceived, &details)?;
            stored.add_step(Step::event(EventName::MessagesChatReceived, &event.id));
            change.emit(&event)?;
        }
        match &before.stored {
            Some(before) => change.update_message(before, &stored)?,
            None => change.create_revised_message(&stored, before.early.as_ref())?,
        }
        contact.write(self, &mut change)?;
        if let Some(original) = &original {
            self.revise(&mut change, original, &Revised { is_revocation, at, direction: Direction::Inbound })?;
        }
        Ok(Decision { change, afterwards: self.media_job(&stored) })
    }

    /// Returns the message that this one edits or revokes.
    async fn original(&self, sent: &Message<'_>, own_id: &str) -> Result<Option<Original>, Failure> {
        let original = sent.revision.as_ref().and_then(|revision| revision.original_id.clone());
        let Some(platform_id) = original.filter(|id| id != own_id) else { return Ok(None) };
        let before = self.before(&platform_id).await?;
        Ok(Some(Original { platform_id, before }))
    }

    /// Marks a message as edited or revoked by its sender. If the message is not stored yet, the revision is kept until
    /// it is.
    fn revise(&self, change: &mut Change, original: &Original, revised: &Revised) -> Result<(), Failure> {
        let Original { platform_id, before } = original;
        let Some(stored) = &before.stored else {
            let after = revised.added_to(before.early);
            return change.note_early_revisions(
                self.number_id()?,
                platform_id,
                before.early.as_ref(),
                &after,
                self.now,
            );
        };
        match revised.marked(stored, self.now) {
            Some(after) => change.update_message(stored, &after),
            None => Ok(()),
        }
    }

    /// Returns the recipient of an echo. A message of a history may only name the chat that it is in.
    fn recipient(&self, sent: &Message<'_>) -> Person {
        let named = sent.recipient();
        match self.update.history.as_ref().and_then(|history| history.chat.clone()) {
            Some(chat) if named.is_unknown() => person(Some(chat), None),
            _ => named,
        }
    }

    /// Stores the content of an outbound message and that it was sent. Earlier statuses may have created the message.
    pub(crate) async fn echo(&self) -> Result<Decision, Failure> {
        let (sent, left) = self.read(Message::read)?;
        let id = sent.id.clone().ok_or_else(|| unreadable("an echo has no id"))?;
        let sent_at = sent.timestamp.unwrap_or_else(|| self.reported_at());
        let source = Source::of(&sent, self.is_history());
        let before = self.before(&id).await?;
        match before.arrival(Direction::Outbound, source) {
            Arrival::New => {}
            Arrival::Repeated(_) => return Ok(Decision::from(self.change())),
            Arrival::Misdirected => return Ok(Decision::from(self.misdirected())),
        }

        let known = match &before.stored {
            Some(known) => known.clone(),
            None => self.blank_at(Direction::Outbound, &id, self.created_at(sent_at)).await?,
        };
        if let Some(idle) = self.obstacle(&before, &known, &id).await? {
            return Ok(idle);
        }
        let read = try_join!(self.links(&sent), self.group_id(sent.group_id.clone()), self.original(&sent, &id));
        let (links, group_id, original) = read?;
        let links = with_original(links, original.as_ref(), self.now);
        let is_revocation = sent.is_revocation();
        let person = if group_id.is_some() { Person::default() } else { self.recipient(&sent) };

        let (body, is_truncated) = (&self.update.body, self.update.is_truncated);
        let report = Report { sent, source, body, left: &left, links: &links, group_id, is_truncated };
        let (mut after, event) = match source {
            Source::Live => echoed(&before, known, report, sent_at, self.now),
            Source::History | Source::Placeholder => {
                (imported(&before, known, report, &person, sent_at, self.now), None)
            }
        };
        self.find_upload(&mut after).await?;

        let mut change = self.write(&before, &mut after, event)?;
        self.link_identities(person, sent_at, &mut change).await?;
        if let Some(original) = &original {
            let revised = Revised { is_revocation, at: sent_at, direction: Direction::Outbound };
            self.revise(&mut change, original, &revised)?;
        }
        Ok(Decision { change, afterwards: self.media_job(&after) })
    }
}
