//! Media past their end, uploads that were given up, and what messages of users brought.

use std::time::Duration;

use aws::queue::Job;
use domain::Failure;
use domain::id::{ChatMessageId, MediaId, OrganizationId};
use domain::media::MediaState;
use store::{Change, Committed, DueItem, InboundMedia, StoredMessage};

use super::Sweeper;

/// How long fetching may take before it is asked for again.
const FETCH: Duration = Duration::from_secs(15 * 60);
/// Longer than a request can take.
const COMPLETING: Duration = Duration::from_secs(5 * 60);
/// The platform holds media for a week.
const HELD: Duration = Duration::from_secs(7 * 24 * 3600);

impl Sweeper {
    /// The bytes first: without its item nothing would find them.
    pub(crate) async fn remove_media(&self, item: &DueItem, o: &OrganizationId, id: &MediaId) -> Result<(), Failure> {
        let Some(media) = self.store().of(o).media(id).await? else { return Ok(()) };
        // An upload may be completed to the last moment, and that takes a while.
        let grace = if media.state == MediaState::Pending { COMPLETING } else { Duration::ZERO };
        let at = media.expires_at.plus(grace);
        if at > self.context().now() {
            return self.store().postpone(item, at).await;
        }
        self.bucket.delete(o, id).await?;
        let mut change = Change::new(o);
        if media.state == MediaState::Pending {
            change.give_up_upload(&media)?;
        } else {
            change.delete_media(id);
        }
        // Completed in the last moment: its bytes were copied before, and the media is due at its own end.
        self.store().commit(&change).await.map(|_| ())
    }

    pub(crate) async fn attend_to_message(
        &self,
        item: &DueItem,
        o: &OrganizationId,
        id: &ChatMessageId,
    ) -> Result<(), Failure> {
        let found = self.store().of(o).chat_message(id).await?;
        let Some((stored, media)) = found.and_then(|stored| Some((stored.clone(), stored.kept.inbound_media?))) else {
            return self.store().no_longer_due(item).await;
        };
        match media.expires_at {
            Some(at) if at > self.context().now() => self.store().postpone(item, at).await,
            Some(_) => {
                self.bucket.delete_inbound(o, id).await?;
                self.note(o, &stored, InboundMedia { is_removed: true, ..media }).await
            }
            None if stored.message().created_at.plus(HELD) < self.context().now() => {
                let failure = Some("The platform did not give the bytes while it held them.".to_owned());
                self.note(o, &stored, InboundMedia { failure, ..media }).await
            }
            None => self.fetch_again(item, o, &stored).await,
        }
    }

    async fn fetch_again(&self, item: &DueItem, o: &OrganizationId, stored: &StoredMessage) -> Result<(), Failure> {
        let number = &stored.message().chat_phone_number_id;
        let Some(number) = self.store().of(o).chat_phone_number(number).await? else {
            return self.store().no_longer_due(item).await;
        };
        let job = Job::FetchMedia {
            v: aws::queue::VERSION,
            organization_id: o.clone(),
            profile_id: number.business_profile.id,
            number_id: number.id,
            message_id: stored.message().id.clone(),
        };
        self.jobs.send(&[job]).await?;
        self.store().postpone(item, self.context().now().plus(FETCH)).await
    }

    /// Changed meanwhile, it is due still, and seen to by the next sweep.
    async fn note(&self, o: &OrganizationId, before: &StoredMessage, media: InboundMedia) -> Result<(), Failure> {
        let mut after = before.clone();
        after.kept.inbound_media = Some(media);
        after.kept.revision += 1;
        let mut change = Change::new(o);
        change.update_chat_message(before, &after)?;
        match self.store().commit(&change).await? {
            Committed::Stale => Err(Failure::conflict("a message was changed while its media was swept")),
            _ => Ok(()),
        }
    }
}
