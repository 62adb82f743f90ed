//! Fetches inbound media from the platform, checks the bytes, and keeps them for the organization's retention period.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::error::provider::Provider;
use domain::id::{ChatBusinessProfileId, ChatMessageId, OrganizationId};
use domain::identity::credential::hex;
use domain::media::{Media, RECEIVED_LIMIT};
use domain::message::step::Step;
use domain::{Failure, Timestamp};
use inbound::refer_to_upload;
use platform::{Download, Line, PlatformError};
use runtime::Metric;
use store::{Change, InboundMedia, StoredChat};
use tempfile::NamedTempFile;

use crate::Worker;

/// The shortest time between the expiry of a medium and that of its message, so that the sweep removes the bytes before
/// TTL can remove the message.
const LAST_HOURS: Duration = Duration::from_secs(6 * 3600);

/// The platform's error codes for media that it deleted or that are too large.
const UNAVAILABLE: [i64; 3] = [33, 100, 131_052];

/// The outcome of a fetch.
enum Fetched {
    Kept {
        size: u64,
        expires_at: Timestamp,
    },
    /// A simulated user has sent an upload of an app; `None` if no app of the number has it.
    Upload(Option<Box<Media>>),
    /// The bytes will never be available.
    Lost(Fault),
    /// The platform does not provide the bytes at the moment. The message stays due, so that the sweep queues another
    /// fetch.
    NotYet(Fault),
}

/// The reason why a fetch failed. The details can contain texts of the platform, so they are stored but not logged.
struct Fault {
    cause: &'static str,
    status: Option<u16>,
    code: Option<i64>,
    details: String,
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
        let Some(stored) = org.message(message).await? else { return Ok(()) };
        let Some(media) = stored.reported.inbound_media.clone().filter(|_| stored.is_waiting_for_media()) else {
            return Ok(());
        };
        let profile = org.chat_business_profile(profile).await?;
        let profile = profile.ok_or_else(|| Failure::internal("the profile of the number does not exist"))?;

        let fetched = if profile.mode.is_test() {
            // A message from before simulated media were references, or one that an earlier release has stored.
            let number = &stored.message().chat_phone_number_id;
            Fetched::Upload(self.inbox.upload_for(organization, number, &media.id).await?.map(Box::new))
        } else if profile.is_given_up() {
            Fetched::Lost(Fault::without_response("The account was disconnected before the media was fetched."))
        } else {
            let line = self.outbound.platforms.line(&profile).await?;
            match fetch(&line, &media, stored.message().media_sha256.as_deref()).await {
                Ok(Some(download)) => self.keep(organization, &stored, download.file).await?,
                Ok(None) => Fetched::Lost(Fault::without_response(
                    "The SHA-256 of the bytes differs from the one that WhatsApp announced.",
                )),
                Err(error) => failed(error)?,
            }
        };

        self.report(message, &fetched);
        self.record(organization, message, &fetched).await
    }

    /// Stores the bytes until the retention period ends.
    async fn keep(
        &self,
        organization: &OrganizationId,
        stored: &StoredChat,
        file: NamedTempFile,
    ) -> Result<Fetched, Failure> {
        let message = stored.message();
        let mime = message.media_mime_type.as_deref().unwrap_or_default();
        let size = file.as_file().metadata().map_err(Failure::internal)?.len();
        self.bucket.put_inbound(organization, &message.id, mime, file.path()).await?;
        let settings = self.inbox.context.store.of(organization).organization().await?;
        let settings = settings.ok_or_else(|| Failure::internal("the organization does not exist"))?;
        let expires_at = self.inbox.context.now().plus_days(settings.media_retention_days);
        // A medium does not outlive its message, whose item leads the sweep to it.
        let expires_at = stored.ends_at.map_or(expires_at, |end| expires_at.min(end.minus(LAST_HOURS)));
        Ok(Fetched::Kept { size, expires_at })
    }

    /// Logs and counts a failed fetch. Only failures of the real platform concern the operator.
    fn report(&self, message: &ChatMessageId, fetched: &Fetched) {
        let (fault, retries) = match fetched {
            _ if message.mode().is_test() => return,
            Fetched::Kept { .. } | Fetched::Upload(_) => return,
            Fetched::Lost(fault) => (fault, false),
            Fetched::NotYet(fault) => (fault, true),
        };
        let Fault { cause, status, code, .. } = fault;
        tracing::warn!(object = %message, status, code, retries, cause, "an inbound medium could not be fetched");
        self.inbox.context.publish(Metric::UnfetchedMedia, 1);
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
            let Some(before) = org.message(message).await? else { return Ok((change, false)) };
            let mut after = before.clone();
            if let Fetched::Upload(upload) = fetched {
                refer_to_upload(&mut after, upload.as_deref());
            }
            let Some(media) = after.reported.inbound_media.as_mut() else { return Ok((change, true)) };
            match fetched {
                Fetched::Upload(_) => {}
                Fetched::Kept { size, expires_at } => {
                    media.expires_at = Some(*expires_at);
                    after.tracked.message.media_file_size = Some(*size);
                    after.add_step(Step::Fetched { at: self.inbox.context.now().into() });
                }
                Fetched::Lost(fault) => media.failure = Some(fault.details.clone()),
                Fetched::NotYet(_) => media.asked_at = Some(self.inbox.context.now()),
            }
            after.kept.revision += 1;
            if !matches!(fetched, Fetched::NotYet(_)) {
                after.tracked.message.updated_at = self.inbox.context.now();
            }
            change.update_message(&before, &after)?;
            Ok((change, true))
        };

        let exists = self.inbox.context.store.settle(decide).await?;
        // The message was erased during the fetch, so nothing refers to the bytes.
        if !exists && matches!(fetched, Fetched::Kept { .. }) {
            self.bucket.delete_inbound(organization, message).await?;
        }
        Ok(())
    }
}

/// Returns the outcome for an error of the platform. Except for media that it deleted or that are too large, the fetch is
/// retried: a fault of the platform, a rate limit, or a token that is invalid until the account is connected again.
fn failed(error: PlatformError) -> Result<Fetched, Failure> {
    let of = |cause, provider: Provider| Fault {
        cause,
        status: provider.http_status,
        code: Some(provider.number()),
        details: format!("{}: {}", provider.number(), provider.message),
    };
    Ok(match error {
        PlatformError::Internal(failure) => return Err(failure),
        PlatformError::Rejected(provider) if UNAVAILABLE.contains(&provider.number()) => {
            Fetched::Lost(of("WhatsApp does not have the medium, or it is too large.", provider))
        }
        PlatformError::Rejected(provider) => Fetched::NotYet(of("WhatsApp rejected the request.", provider)),
        PlatformError::Failed(provider) => Fetched::NotYet(of("WhatsApp failed.", provider)),
        PlatformError::Unreachable { why, .. } => Fetched::NotYet(Fault::without_response(why)),
        PlatformError::NotConfigured => Fetched::NotYet(Fault::without_response("is not configured")),
    })
}

impl Fault {
    /// `why` is a sentence, or completes the sentence "The platform …".
    fn without_response(why: &'static str) -> Self {
        Fault { cause: why, status: None, code: None, details: why.to_owned() }
    }
}

/// Downloads the media. Returns `None` if the SHA-256 of the bytes differs from the announced one.
async fn fetch(line: &Line, media: &InboundMedia, announced: Option<&str>) -> Result<Option<Download>, PlatformError> {
    let location = line.platform.media(&line.token, &media.id).await?;
    let download = line.platform.download(&line.token, &location.url, RECEIVED_LIMIT).await?;
    let announced = announced.or(location.sha256.as_deref());
    let is_intact = announced.is_none_or(|announced| is_sha256(announced, &download.sha256));
    Ok(is_intact.then_some(download))
}

/// Compares with an announced hash in base64 or hexadecimal form.
fn is_sha256(announced: &str, actual: &[u8; 32]) -> bool {
    announced.eq_ignore_ascii_case(&hex(actual)) || announced == STANDARD.encode(actual)
}
