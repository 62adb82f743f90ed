//! Media: files that apps upload to send them. The bytes are in the bucket; the item holds their type, size and expiry.
//! An upload counts towards the app's quotas. A direct upload to the bucket is pending until its bytes are validated,
//! and then becomes ready.
//!
//! Each item is in the due index, with the time at which it expires or its pending upload is abandoned: the sweep
//! deletes bytes and item. The media of received messages have no items of their own; their data is part of the message
//! (`chat/message/media.rs`).

use domain::due::DueClass;
use domain::id::MediaId;
use domain::media::{Media, MediaState};
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, Refused, absent_or, fail_with};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{DUE_AT, Item, NewItem, TTL, entities, entity, number, value};
use crate::{DailyUploads, Reads, keys};

/// The sweep deletes bytes and item within the hour after expiry; the table's TTL is the fallback. It is late on
/// purpose: once the item is gone, only the bucket's own expiry rule would delete the bytes.
const TTL_AFTER_DAYS: u32 = 30;

fn no_such_media() -> Failure {
    Failure::not_found("mediaId", "media")
}

impl Reads {
    pub async fn media(&self, id: &MediaId) -> Result<Option<Media>, Failure> {
        self.table.get(&keys::media(&self.organization, id)).await?.map(entity).transpose()
    }

    /// Returns those of the media that exist, in no particular order. The ids must be distinct.
    pub async fn media_by_id<'a>(&self, ids: impl IntoIterator<Item = &'a MediaId>) -> Result<Vec<Media>, Failure> {
        let keys: Vec<_> = ids.into_iter().map(|id| keys::media(&self.organization, id)).collect();
        entities(self.table.get_all(&keys).await?)
    }
}

impl Change {
    /// Creates a medium, counts it and its size against the app's daily quotas and, if the upload goes to the bucket
    /// directly, counts it as pending.
    pub fn create_media(&mut self, media: &Media, daily: DailyUploads) -> Result<(), Failure> {
        let now = media.created_at;
        self.spend_upload(&media.app_id, daily, media.file_size, now)?;
        if media.is_direct {
            self.begin_upload(&media.app_id, now)?;
        }
        let item = NewItem::new(&keys::media(&self.organization, &media.id), media)?
            .due(DueClass::Media, media.expires_at)
            .expiring(media.expires_at.plus_days(TTL_AFTER_DAYS));
        self.create(item, fail_with(|| Failure::internal("a newly minted media id already exists")));
        Ok(())
    }

    /// Makes a pending medium visible, after its bytes were validated and copied. Stale if another request has made it
    /// ready concurrently; not found if it was deleted.
    pub fn make_media_ready(&mut self, media: &Media) -> Result<(), Failure> {
        let ready = value(&MediaState::Ready)?;
        let update = Update::new(keys::media(&self.organization, &media.id))
            .set_value("state", ready.clone())
            .set("mimeType", &media.mime_type)?
            .set("mediaType", &media.media_type)?
            .set("fileSize", &media.file_size)?
            .set("sha256", &media.sha256)?
            .set("createdAt", &media.created_at)?
            .set("expiresAt", &media.expires_at)?
            .set_value(DUE_AT, number(media.expires_at.millis()))
            .set_value(TTL, number(media.expires_at.plus_days(TTL_AFTER_DAYS).seconds()))
            .if_present()
            .when("#state = :pending")
            .value(":pending", value(&MediaState::Pending)?);

        // The SDK retries a call whose response was lost; the retry then finds its own `createdAt`.
        let own = value(&media.created_at)?;
        let verdict = move |item: &Item| {
            let is_own = item.get("createdAt") == Some(&own) && item.get("state") == Some(&ready);
            if is_own { Refused::AlreadyDone } else { Refused::Stale }
        };
        self.update(update, absent_or(no_such_media, verdict));

        if media.is_direct {
            self.end_upload(&media.app_id);
        }
        Ok(())
    }

    /// Hides a medium from all readers at once and makes it due, so that the sweep completes the deletion if it is
    /// interrupted.
    pub fn hide_media(&mut self, id: &MediaId, now: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::media(&self.organization, id))
            .set("state", &MediaState::Deleted)?
            .set("expiresAt", &now)?
            .set_value(DUE_AT, number(now.millis()))
            .if_present();
        self.update(update, fail_with(no_such_media));
        Ok(())
    }

    /// Deletes a medium whose upload was never completed. Stale if it has been completed concurrently.
    pub fn give_up_upload(&mut self, media: &Media) -> Result<(), Failure> {
        let pending = Condition::new("#state = :pending").value(":pending", value(&MediaState::Pending)?);
        self.delete(keys::media(&self.organization, &media.id), pending, absent_or(no_such_media, |_| Refused::Stale));
        if media.is_direct {
            self.end_upload(&media.app_id);
        }
        Ok(())
    }

    /// Deletes the item of a medium.
    pub fn delete_media(&mut self, id: &MediaId) {
        self.delete(keys::media(&self.organization, id), Condition::default(), fail_with(no_such_media));
    }
}
