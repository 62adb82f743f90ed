//! Expired media, abandoned uploads, and the media of inbound messages.

use std::time::Duration;

use domain::Failure;
use domain::id::{MediaId, OrganizationId};
use domain::job::Job;
use domain::media::MediaState;
use store::{Change, Committed, DueItem, InboundMedia, StoredChat};

use super::Sweeper;

/// How long a fetch job may take before the sweep queues another one.
const FETCH: Duration = Duration::from_secs(15 * 60);
/// How long an expired upload is kept, because a request may be completing it: longer than a request can take.
const COMPLETING: Duration = Duration::from_secs(5 * 60);
/// How long the platform keeps media.
const KEPT_BY_PLATFORM: Duration = Duration::from_secs(7 * 24 * 3600);

impl Sweeper {
    /// Removes expired media. The bytes are deleted first, because nothing refers to them once the item is gone.
    pub(crate) async fn remove_media(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        id: &MediaId,
    ) -> Result<(), Failure> {
        let Some(media) = self.store().of(organization).media(id).await? else { return Ok(()) };
        // The completion of an upload can begin at the last moment, and takes a while.
        let grace = if media.state == MediaState::Pending { COMPLETING } else { Duration::ZERO };
        let at = media.expires_at.plus(grace);
        if at > self.context().now() {
            return self.store().postpone(item, at).await;
        }

        self.bucket.delete(organization, id).await?;
        let mut change = Change::new(organization);
        if media.state == MediaState::Pending {
            change.give_up_upload(&media)?;
        } else {
            change.delete_media(id);
        }
        // Stale if the upload was completed concurrently, which the grace period prevents. The item then stays until it
        // expires.
        self.store().commit(&change).await.map(|_| ())
    }

    /// Fetches or removes the media of an inbound message, or gives up fetching it, depending on its state.
    pub(crate) async fn process_message_media(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        stored: &StoredChat,
    ) -> Result<(), Failure> {
        let Some(media) = stored.reported.inbound_media.clone() else { return self.store().no_longer_due(item).await };
        match media.expires_at {
            // The upload expires by itself.
            _ if media.is_upload => self.store().no_longer_due(item).await,
            Some(at) if at > self.context().now() => self.store().postpone(item, at).await,
            Some(_) => {
                self.bucket.delete_inbound(organization, &stored.message().id).await?;
                self.update_media(organization, stored, InboundMedia { is_removed: true, ..media }).await
            }
            None if stored.message().created_at.plus(KEPT_BY_PLATFORM) < self.context().now() => {
                let failure = Some("WhatsApp did not provide the media before deleting it.".to_owned());
                self.update_media(organization, stored, InboundMedia { failure, ..media }).await
            }
            None => self.queue_fetch(item, organization, stored).await,
        }
    }

    async fn queue_fetch(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        stored: &StoredChat,
    ) -> Result<(), Failure> {
        let number = &stored.message().chat_phone_number_id;
        let Some(number) = self.store().of(organization).chat_phone_number(number).await? else {
            return self.store().no_longer_due(item).await;
        };
        let job = Job::FetchMedia {
            v: domain::job::VERSION,
            organization_id: organization.clone(),
            profile_id: number.business_profile.id,
            number_id: number.id,
            message_id: stored.message().id.clone(),
        };
        self.jobs.send(&[job]).await?;
        self.store().postpone(item, self.context().now().plus(FETCH)).await
    }

    /// Stores the new state. If the message was changed concurrently, it stays due for the next sweep.
    async fn update_media(
        &self,
        organization: &OrganizationId,
        before: &StoredChat,
        media: InboundMedia,
    ) -> Result<(), Failure> {
        let mut after = before.clone();
        after.reported.inbound_media = Some(media);
        after.kept.revision += 1;
        let mut change = Change::new(organization);
        change.update_message(before, &after)?;
        match self.store().commit(&change).await? {
            Committed::Stale => Err(Failure::conflict("the message was changed while its media was processed")),
            _ => Ok(()),
        }
    }
}
