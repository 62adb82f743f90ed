//! Inbound media: fetched from the platform, checked, and kept for the organization's retention.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::credential::hex;
use domain::id::{ChatBusinessProfileId, ChatMessageId, OrganizationId};

use domain::{Failure, Timestamp};
use platform::{Download, Line, PlatformError};
use store::{Change, InboundMedia, StoredMessage};

use crate::Worker;

/// The platform's largest, that of documents.
const LARGEST: u64 = 100 * 1024 * 1024;

/// The platform holds media for some days, and refuses what is too large.
const GONE: [i64; 3] = [33, 100, 131_052];

/// What became of the bytes.
enum Fetched {
    Kept {
        size: u64,
        expires_at: Timestamp,
    },
    /// They will not come, however often they are asked for.
    Lost(String),
    /// The platform does not give them now; the message is due for another try.
    NotYet,
}

impl Worker {
    pub(crate) async fn fetch_media(
        &self,
        o: &OrganizationId,
        profile: &ChatBusinessProfileId,
        message: &ChatMessageId,
    ) -> Result<(), Failure> {
        let store = &self.inbox.context.store;
        let Some(stored) = store.of(o).chat_message(message).await? else { return Ok(()) };
        let Some(media) = stored.kept.inbound_media.clone().filter(|_| stored.is_waiting_for_media()) else {
            return Ok(());
        };
        let profile = store.of(o).chat_business_profile(profile).await?;
        let profile = profile.ok_or_else(|| Failure::internal("a number's profile does not exist"))?;
        let line = self.platforms.line(&profile).await?;
        let fetched = match fetch(&line, &media, stored.message().media_sha256.as_deref()).await {
            Ok(download) => self.keep(o, &stored, download).await?,
            Err(PlatformError::Rejected(provider)) if GONE.contains(&provider.code) => {
                Fetched::Lost(format!("{}: {}", provider.code, provider.message))
            }
            // Its own fault, a rate, a token that is dead until the account is connected again.
            Err(PlatformError::Internal(failure)) => return Err(failure),
            Err(_) => Fetched::NotYet,
        };
        self.note(o, message, &fetched).await
    }

    async fn keep(
        &self,
        o: &OrganizationId,
        stored: &StoredMessage,
        download: Option<Download>,
    ) -> Result<Fetched, Failure> {
        let Some(download) = download else {
            return Ok(Fetched::Lost("The bytes are not those that the platform announced.".to_owned()));
        };
        let message = stored.message();
        let mime = message.media_mime_type.as_deref().unwrap_or_default();
        self.bucket.put_inbound(o, &message.id, mime, download.file.path()).await?;
        let organization = self.inbox.context.store.of(o).organization().await?;
        let organization = organization.ok_or_else(|| Failure::internal("an organization does not exist"))?;
        let expires_at = self.inbox.context.now().plus_days(organization.media_retention_days);
        Ok(Fetched::Kept { size: download.size, expires_at })
    }

    async fn note(&self, o: &OrganizationId, message: &ChatMessageId, fetched: &Fetched) -> Result<(), Failure> {
        let own = &self.inbox.context.store.of(o);
        let decide = || async move {
            let mut change = Change::new(o);
            let Some(before) = own.chat_message(message).await? else { return Ok((change, ())) };
            let mut after = before.clone();
            let Some(media) = after.kept.inbound_media.as_mut() else { return Ok((change, ())) };
            match fetched {
                Fetched::Kept { size, expires_at } => {
                    media.expires_at = Some(*expires_at);
                    after.tracked.message.media_file_size = Some(*size);
                }
                Fetched::Lost(why) => media.failure = Some(why.clone()),
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

/// `None` where the bytes are not those that were announced.
async fn fetch(line: &Line, media: &InboundMedia, announced: Option<&str>) -> Result<Option<Download>, PlatformError> {
    let location = line.platform.media(&line.token, &media.id).await?;
    let download = line.platform.download(&line.token, &location.url, LARGEST).await?;
    let announced = announced.or(location.sha256.as_deref());
    let is_right = announced.is_none_or(|announced| is_sha256(announced, &download.sha256));
    Ok(is_right.then_some(download))
}

/// Written in base64 or in hexadecimal.
fn is_sha256(announced: &str, found: &[u8; 32]) -> bool {
    announced.eq_ignore_ascii_case(&hex(found)) || announced == STANDARD.encode(found)
}
