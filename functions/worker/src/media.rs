//! Fetches inbound media from the platform, checks the bytes, and keeps them for the organization's retention period.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::credential::hex;
use domain::id::{ChatBusinessProfileId, ChatMessageId, OrganizationId};
use domain::{Failure, Timestamp};
use platform::{Download, Line, PlatformError};
use store::{Change, InboundMedia, StoredMessage};

use crate::Worker;

/// The platform's limit for documents, its largest media, in bytes.
const LARGEST: u64 = 100 * 1024 * 1024;

/// The platform's error codes for media that it deleted or that are too large.
const UNAVAILABLE: [i64; 3] = [33, 100, 131_052];

/// The outcome of a fetch.
enum Fetched {
    Kept {
        size: u64,
        expires_at: Timestamp,
    },
    /// The bytes will never be available; holds the reason.
    Lost(String),
    /// The platform does not provide the bytes now. The message stays due, so that the sweep queues another fetch.
    NotYet,
}

impl Worker {
    /// Fetches the media of a message, and records the outcome on the message.
    pub(crate) async fn fetch_media(
        &self,
        organization: &OrganizationId,
        profile: &ChatBusinessProfileId,
        message: &ChatMessageId,
    ) -> Result<(), Failure> {
        let org = self.inbox.context.store.of(organization);
        let Some(stored) = org.chat_message(message).await? else { return Ok(()) };
        let Some(media) = stored.kept.inbound_media.clone().filter(|_| stored.is_waiting_for_media()) else {
            return Ok(());
        };
        let profile = org.chat_business_profile(profile).await?;
        let profile = profile.ok_or_else(|| Failure::internal("the profile of the number does not exist"))?;
        let line = self.platforms.line(&profile).await?;
        let fetched = match fetch(&line, &media, stored.message().media_sha256.as_deref()).await {
            Ok(download) => self.keep(organization, &stored, download).await?,
            Err(PlatformError::Rejected(provider)) if UNAVAILABLE.contains(&provider.code) => {
                Fetched::Lost(format!("{}: {}", provider.code, provider.message))
            }
            Err(PlatformError::Internal(failure)) => return Err(failure),
            // A fault of the platform, a rate limit, or a token that is invalid until the account is connected again.
            Err(_) => Fetched::NotYet,
        };
        self.record(organization, message, &fetched).await
    }

    /// Stores the bytes until the retention period ends.
    async fn keep(
        &self,
        organization: &OrganizationId,
        stored: &StoredMessage,
        download: Option<Download>,
    ) -> Result<Fetched, Failure> {
        let Some(download) = download else {
            return Ok(Fetched::Lost(
                "The SHA-256 of the bytes differs from the one that the platform announced.".to_owned(),
            ));
        };
        let message = stored.message();
        let mime = message.media_mime_type.as_deref().unwrap_or_default();
        self.bucket.put_inbound(organization, &message.id, mime, download.file.path()).await?;
        let settings = self.inbox.context.store.of(organization).organization().await?;
        let settings = settings.ok_or_else(|| Failure::internal("the organization does not exist"))?;
        let expires_at = self.inbox.context.now().plus_days(settings.media_retention_days);
        Ok(Fetched::Kept { size: download.size, expires_at })
    }

    /// Records the outcome on the message.
    async fn record(
        &self,
        organization: &OrganizationId,
        message: &ChatMessageId,
        fetched: &Fetched,
    ) -> Result<(), Failure> {
        let org = &self.inbox.context.store.of(organization);
        let decide = || async move {
            let mut change = Change::new(organization);
            let Some(before) = org.chat_message(message).await? else { return Ok((change, ())) };
            let mut after = before.clone();
            let Some(media) = after.kept.inbound_media.as_mut() else { return Ok((change, ())) };
            match fetched {
                Fetched::Kept { size, expires_at } => {
                    media.expires_at = Some(*expires_at);
                    after.tracked.message.media_file_size = Some(*size);
                }
                Fetched::Lost(reason) => media.failure = Some(reason.clone()),
                Fetched::NotYet => media.asked_at = Some(self.inbox.context.now()),
            }
            after.kept.revision += 1;
            if !matches!(fetched, Fetched::NotYet) {
                after.tracked.message.updated_at = self.inbox.context.now();
            }
            change.update_chat_message(&before, &after)?;
            Ok((change, ()))
        };
        self.inbox.context.store.settle(decide).await
    }
}

/// Downloads the media. Returns `None` if the SHA-256 of the bytes differs from the announced one.
async fn fetch(line: &Line, media: &InboundMedia, announced: Option<&str>) -> Result<Option<Download>, PlatformError> {
    let location = line.platform.media(&line.token, &media.id).await?;
    let download = line.platform.download(&line.token, &location.url, LARGEST).await?;
    let announced = announced.or(location.sha256.as_deref());
    let is_intact = announced.is_none_or(|announced| is_sha256(announced, &download.sha256));
    Ok(is_intact.then_some(download))
}

/// Compares with an announced hash in base64 or hexadecimal form.
fn is_sha256(announced: &str, actual: &[u8; 32]) -> bool {
    announced.eq_ignore_ascii_case(&hex(actual)) || announced == STANDARD.encode(actual)
}
