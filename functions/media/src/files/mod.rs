//! Media files and their life: pending, checked, ready, gone at `expiresAt`.

pub(crate) mod http;

use std::io::Cursor;

use api::AppCaller;
use aws::bucket::Incoming;
use aws::presign::PresignedUpload;
use domain::id::MediaId;
use domain::media::{Media, MediaState, MediaType, UPLOAD_WINDOW, URL_SECONDS, file_name, too_large};
use domain::organization::Organization;
use domain::{Failure, Mode, Timestamp};
use store::Change;
use tokio::task::spawn_blocking;
use tokio::try_join;

use crate::MediaContext;
use crate::detect::media_type;
use crate::multipart::{FIELD, UploadedFile};

const UNNAMED: &str = "file";
const TEST_BYTES_A_DAY: u64 = 1_000_000_000;

/// An announced file.
pub(crate) struct Announced {
    file_name: String,
    media_type: MediaType,
    file_size: u64,
}

/// A file of E9 whose content was judged.
struct Checked {
    file: UploadedFile,
    media_type: MediaType,
}

fn check(file: UploadedFile) -> Result<Checked, Failure> {
    let media_type = media_type(Cursor::new(&file.bytes), file.declared_type.as_deref())?;
    let size = file.bytes.len() as u64;
    let limit = media_type.kind.limit();
    if size > limit {
        return Err(too_large(FIELD, &kind_in_words(media_type), limit, Some(size), ""));
    }
    Ok(Checked { file, media_type })
}

fn kind_in_words(media_type: MediaType) -> String {
    format!("A file of kind {}", media_type.kind.as_str())
}

fn pending(media: &MediaContext, caller: &AppCaller, announced: Announced, is_direct: bool) -> Media {
    let now = media.context.now();
    Media {
        id: MediaId::mint(caller.app_id.mode(), now, media.context.random()),
        app_id: caller.app_id.clone(),
        state: MediaState::Pending.into(),
        file_name: announced.file_name,
        mime_type: announced.media_type.mime.to_owned(),
        media_type: announced.media_type.kind.into(),
        file_size: announced.file_size,
        expires_at: now.plus(UPLOAD_WINDOW),
        created_at: now,
        is_direct,
    }
}

/// Bytes that an app may upload in a day.
fn daily_bytes(media: &MediaContext, caller: &AppCaller) -> u64 {
    match caller.app_id.mode() {
        Mode::Test => TEST_BYTES_A_DAY,
        Mode::Live => media.live_bytes_a_day,
    }
}

/// Retention is fixed now.
fn made_ready(mut media: Media, now: Timestamp, retention_days: u32) -> Media {
    media.state = MediaState::Ready.into();
    media.created_at = now;
    media.expires_at = now.plus_days(retention_days);
    media
}

fn retention_days(organization: Option<Organization>) -> Result<u32, Failure> {
    let organization = organization.ok_or_else(|| Failure::internal("a credential's organization does not exist"))?;
    Ok(organization.media_retention_days)
}

/// E9: the item first as pending, then the bytes, then the change that makes it exist. A stop in between leaves nothing
/// visible; the pending item is due and will be swept with its bytes.
async fn store_upload(media: &MediaContext, caller: &AppCaller, checked: Checked) -> Result<(Media, Change), Failure> {
    let organization = &caller.organization;
    let Checked { file, media_type } = checked;
    let announced = Announced {
        file_name: file_name(file.name.as_deref().unwrap_or_default(), UNNAMED),
        media_type,
        file_size: file.bytes.len() as u64,
    };
    let upload = pending(media, caller, announced, false);
    let mut begun = Change::new(organization);
    begun.create_media(&upload, daily_bytes(media, caller))?;
    let store = &media.context.store;
    let own = store.of(organization);
    let (organization, _) = try_join!(own.organization(), store.commit(&begun))?;
    let days = retention_days(organization)?;
    media.bucket.put(organization, &upload, file.bytes).await?;
    let ready = made_ready(upload, media.context.now(), days);
    let mut change = Change::new(organization);
    change.make_media_ready(&ready)?;
    Ok((ready, change))
}

/// Announces a direct upload.
async fn announce(
    media: &MediaContext,
    caller: &AppCaller,
    announced: Announced,
) -> Result<(Media, PresignedUpload, Change), Failure> {
    let upload = pending(media, caller, announced, true);
    let presigned = media.presigner.upload(&caller.organization, &upload, UPLOAD_WINDOW)?;
    let mut change = Change::new(&caller.organization);
    change.create_media(&upload, daily_bytes(media, caller))?;
    Ok((upload, presigned, change))
}

fn no_such_media() -> Failure {
    Failure::not_found("mediaId", "media")
}

/// The item of this app, whatever its state.
fn own(found: Option<Media>, caller: &AppCaller) -> Result<Media, Failure> {
    found.filter(|found| found.app_id == caller.app_id).ok_or_else(no_such_media)
}

fn visible(media: &MediaContext, caller: &AppCaller, found: Option<Media>) -> Result<Media, Failure> {
    let found = own(found, caller)?;
    if found.is_visible(media.context.now()) { Ok(found) } else { Err(no_such_media()) }
}

/// Checks a direct upload and accepts the bytes that were checked. A media that is ready already is the answer again.
async fn complete(
    media: &MediaContext,
    caller: &AppCaller,
    (found, organization): (Option<Media>, Option<Organization>),
) -> Result<(Media, Change), Failure> {
    let organization = &caller.organization;
    let upload = own(found, caller)?;
    let now = media.context.now();
    if upload.is_visible(now) {
        return Ok((upload, Change::new(organization)));
    }
    if upload.state != MediaState::Pending || upload.expires_at <= now {
        return Err(no_such_media());
    }
    let days = retention_days(organization)?;
    let incoming = media.bucket.fetch_incoming(organization, &upload).await?;
    let incoming = incoming.ok_or_else(|| Failure::conflict("Nothing was uploaded yet.").with_param("mediaId"))?;
    let etag = incoming.etag.clone();
    let announced = upload.clone();
    // Up to 100 MB are read: on a thread of its own, so that the request's time limit can end it.
    let checked = spawn_blocking(move || check_incoming(&announced, incoming)).await.map_err(Failure::internal)?;
    if let Err(refused) = checked {
        // The upload never overwrites: only without the refused object can another file be sent in the time left.
        media.bucket.delete_incoming(organization, &upload.id).await?;
        return Err(refused);
    }
    if !media.bucket.accept(organization, &upload, &etag).await? {
        return Err(
            Failure::conflict("The upload changed while it was checked; complete it again.").with_param("mediaId")
        );
    }
    let ready = made_ready(upload, media.context.now(), days);
    let mut change = Change::new(organization);
    change.make_media_ready(&ready)?;
    Ok((ready, change))
}

fn check_incoming(upload: &Media, incoming: Incoming) -> Result<(), Failure> {
    if incoming.size != upload.file_size {
        let message = format!("The upload has not the {} bytes that were announced.", upload.file_size);
        return Err(Failure::invalid(FIELD, message));
    }
    media_type(incoming.file, Some(&upload.mime_type)).map(|_| ())
}

/// The bytes are gone before this answers. A stop after the first step leaves nothing visible; what is left is due, and
/// asking again goes on where it stopped.
async fn delete(media: &MediaContext, caller: &AppCaller, found: Option<Media>) -> Result<(), Failure> {
    let organization = &caller.organization;
    let found = own(found, caller)?;
    if found.state == MediaState::Deleted {
        // Whoever asks again, because the first answer was none, is told when the bytes are gone.
        media.bucket.delete(organization, &found.id).await?;
    }
    if !found.is_visible(media.context.now()) {
        return Err(no_such_media());
    }
    let mut hide = Change::new(organization);
    hide.hide_media(&found.id, media.context.now())?;
    media.context.store.commit(&hide).await?;
    media.bucket.delete(organization, &found.id).await
}

/// A read URL never outlives the media.
fn url_seconds(media: &Media, now: Timestamp) -> u64 {
    now.seconds_until(media.expires_at).min(URL_SECONDS)
}

/// The sizes a direct upload may have.
fn announced_size(sent: i64, media_type: MediaType) -> Result<u64, Failure> {
    let size = u64::try_from(sent).ok().filter(|size| *size > 0);
    let size = size.ok_or_else(|| Failure::invalid("fileSize", "fileSize must be at least 1 byte."))?;
    let limit = media_type.kind.limit();
    if size > limit {
        return Err(too_large("fileSize", &kind_in_words(media_type), limit, Some(size), ""));
    }
    Ok(size)
}
