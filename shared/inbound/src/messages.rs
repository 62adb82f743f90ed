//! Inbound messages, and echoes: messages that the business sent from its phone.

use aws::queue::Job;
use domain::Failure;
use domain::Mode;
use domain::chat::status::{RecipientRef, StatusUpdate};
use domain::chat::{ChatMessage, ChatMessageType, Direction, RecipientStatus};
use domain::id::ChatMessageId;
use futures_util::future::try_join_all;
use futures_util::try_join;
use store::{Kept, StoredMessage};

use crate::apply::{Decision, UpdateHandler};
use crate::contacts::Seen;
use crate::content::{Links, fill, phone, references};
use crate::wire::{Message, Sender, non_empty, read, required};

impl UpdateHandler<'_> {
    /// Returns the id of a stored message by the platform's id.
    async fn known_message(&self, platform_id: &str) -> Result<Option<ChatMessageId>, Failure> {
        self.store.message_id_of_platform(self.number_id()?, platform_id).await
    }

    /// Returns a stored message by the platform's id.
    pub(crate) async fn stored_message(&self, platform_id: &str) -> Result<Option<StoredMessage>, Failure> {
        match self.known_message(platform_id).await? {
            None => Ok(None),
            Some(id) => self.store.chat_message(&id).await,
        }
    }

    async fn links(&self, message: &Message) -> Result<Links, Failure> {
        let lookups = references(message).into_iter().map(|id| async move {
            let known = self.known_message(&id).await?;
            Ok::<_, Failure>(known.map(|known| (id, known.to_string())))
        });
        Ok(try_join_all(lookups).await?.into_iter().flatten().collect())
    }

    /// Returns a message without content.
    pub(crate) async fn blank(&self, direction: Direction, platform_id: &str) -> Result<StoredMessage, Failure> {
        let number = self.number().await?;
        let id = ChatMessageId::mint(Mode::Live, self.now, self.inbox.context.random());
        let numbers = (&number.id, &number.display_phone_number);
        let message = ChatMessage::blank(id, numbers, direction, ChatMessageType::Unknown, self.now);
        let mut stored = StoredMessage::new(message);
        stored.kept = Kept { provider_message_id: Some(platform_id.to_owned()), revision: 1, ..Kept::default() };
        Ok(stored)
    }

    fn media_job(&self, stored: &StoredMessage) -> Option<Job> {
        stored.is_waiting_for_media().then(|| Job::FetchMedia {
            v: aws::queue::VERSION,
            organization_id: self.organization().clone(),
            profile_id: self.route.profile_id.clone(),
            number_id: stored.message().chat_phone_number_id.clone(),
            message_id: stored.message().id.clone(),
        })
    }

    /// Stores an inbound message. A repeated one changes nothing, but its media is requested again while it is pending.
    pub(crate) async fn message(&self) -> Result<Decision, Failure> {
        let sent: Message = read(&self.update.body)?;
        let sent_at = required(&sent.timestamp)?;
        let introduced: Option<Sender> = self.update.contact.as_deref().map(read).transpose()?;
        let seen = Seen::of_message(&sent, introduced.as_ref(), sent_at);
        // Repeated messages are rare, so the data for a new message is read while checking whether it is one.
        let (known, mut stored, links, contact) = try_join!(
            self.stored_message(&sent.id),
            self.blank(Direction::Inbound, &sent.id),
            self.links(&sent),
            self.contact(seen)
        )?;
        if let Some(known) = known {
            return Ok(Decision { change: self.change(), afterwards: self.media_job(&known) });
        }
        let message = &mut stored.tracked.message;
        message.from_phone_number = phone(sent.from.as_deref());
        message.sent_at = Some(sent_at);
        message.contact_name = introduced.and_then(|sender| sender.profile).and_then(|profile| non_empty(profile.name));
        fill(&mut stored, sent, &self.update.body, &links)?;
        let mut change = self.change();
        change.create_chat_message(&stored)?;
        contact.write(self, &mut change)?;
        let kind = domain::event::EventName::MessagesChatReceived;
        change.emit(&self.event_for_apps_of_number(kind, &stored.clone().details())?)?;
        Ok(Decision { change, afterwards: self.media_job(&stored) })
    }

    /// Stores the content of an outbound message and that it was sent. Earlier statuses may have created the message.
    pub(crate) async fn echo(&self) -> Result<Decision, Failure> {
        let sent: Message = read(&self.update.body)?;
        let sent_at = required(&sent.timestamp)?;
        let before = self.stored_message(&sent.id).await?;
        if before.as_ref().is_some_and(|known| known.kept.is_filled) {
            return Ok(Decision::from(self.change()));
        }
        let mut after = match &before {
            Some(known) => known.clone(),
            None => self.blank(Direction::Outbound, &sent.id).await?,
        };
        let links = self.links(&sent).await?;
        let recipient = RecipientRef::only(sent.to.as_deref());
        let known = after.tracked.message.to_phone_number.take();
        after.tracked.message.to_phone_number = phone(sent.to.as_deref()).or(known);
        // Keep an error that a status reported: an echo carries no error.
        let errors = after.tracked.message.clone();
        fill(&mut after, sent, &self.update.body, &links)?;
        let message = &mut after.tracked.message;
        message.error_code = errors.error_code;
        message.error_title = errors.error_title;
        message.error_message = errors.error_message;
        message.error_details = errors.error_details;
        after.kept.is_filled = true;
        let status =
            StatusUpdate { recipient, status: RecipientStatus::Sent, at: sent_at, error: None, conversation: None };
        let event = after.tracked.record(&status, self.now);
        after.tracked.message.updated_at = self.now;
        let change = self.write(before.as_ref(), &mut after, event)?;
        Ok(Decision { change, afterwards: self.media_job(&after) })
    }
}
