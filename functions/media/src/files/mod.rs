//! Media files and their states: pending until their bytes are checked, then ready, and deleted at `expiresAt`.

pub(crate) mod http;

use std::io::{Cursor, Read, Seek as _};

use api::AppCaller;
use aws::bucket::Incoming;
use aws::presign::PresignedUpload;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::id::MediaId;
use domain::identity::organization::Organization;
use domain::media::{
    Media, MediaState, MediaType, TEST_BYTES_A_DAY, TEST_UPLOADS_A_DAY, UPLOAD_WINDOW, URL_SECONDS, file_name,
    too_large,
};
use domain::{Failure, Mode, Timestamp};
use ring::digest::{Context, SHA256};
use store::{Change, DailyUploads};
use tokio::task::spawn_blocking;
use tokio::try_join;

use crate::MediaContext;
use crate::detect::media_type;
use crate::multipart::{FIELD, UploadedFile};

const UNNAMED: &str = "file";
/// How many bytes of a file are hashed at once.
const HASHED_AT_ONCE: usize = 64 * 1024;
const TEST_UPLOADS: DailyUploads = DailyUploads { files: TEST_UPLOADS_A_DAY, bytes: TEST_BYTES_A_DAY };

/// The announced properties of a file.
pub(crate) struct Announced {
    file_name: String,
    media_type: MediaType,
    file_size: u64,
}

/// An uploaded file whose content was checked.
struct Checked {
    file: UploadedFile,
    media_type: MediaType,
}

/// Checks type and size of an uploaded file.
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
        sha256: None,
    }
}

/// Returns the SHA-256 of a file's bytes, as the platform announces that of a medium.
fn sha256(mut file: impl Read) -> Result<String, Failure> {
    let (mut hash, mut piece) = (Context::new(&SHA256), vec![0; HASHED_AT_ONCE]);
    loop {
        match file.read(&mut piece).map_err(Failure::internal)? {
            0 => return Ok(STANDARD.encode(hash.finish())),
            read => hash.update(&piece[..read]),
        }
    }
}

/// Returns the daily limits on uploads of the app.
fn daily_uploads(media: &MediaContext, caller: &AppCaller) -> DailyUploads {
    match caller.app_id.mode() {
        Mode::Test => TEST_UPLOADS,
        Mode::Live => media.live_uploads,
    }
}

/// Returns the media as ready, with the retention that applies now.
fn made_ready(mut media: Media, now: Timestamp, retention_days: u32) -> Media {
    media.state = MediaState::Ready.into();
    media.created_at = now;
    media.expires_at = now.plus_days(retention_days);
    media
}

fn retention_days(settings: Option<Organization>) -> Result<u32, Failure> {
    let settings = settings.ok_or_else(|| Failure::internal("the organization of the credential does not exist"))?;
    Ok(settings.media_retention_days)
}

/// Stores an uploaded file: first a pending item, then the bytes, then the change that makes the media ready. If this
/// is interrupted, nothing is visible, and the sweep removes the pending item with its bytes.
async fn store_upload(media: &MediaContext, caller: &AppCaller, checked: Checked) -> Result<(Media, Change), Failure> {
    let organization = &caller.organization;
    let Checked { file, media_type } = checked;
    let announced = Announced {
        file_name: file_name(file.name.as_deref().unwrap_or_default(), UNNAMED),
        media_type,
        file_size: file.bytes.len() as u64,
    };
    let mut upload = pending(media, caller, announced, false);
    upload.sha256 = Some(sha256(&file.bytes[..])?);

    let mut creation = Change::new(organization);
    creation.create_media(&upload, daily_uploads(media, caller))?;
    let store = &media.context.store;
    let org = store.of(organization);
    let (settings, _) = try_join!(org.organization(), store.commit(&creation))?;
    let days = retention_days(settings)?;
    media.bucket.put(organization, &upload, file.bytes).await?;

    let ready = made_ready(upload, media.context.now(), days);
    let mut change = Change::new(organization);
    change.make_media_ready(&ready)?;
    Ok((ready, change))
}

/// Decides on a direct upload, and returns its presigned URL.
async fn announce(
    media: &MediaContext,
    caller: &AppCaller,
    announced: Announced,
) -> Result<(Media, PresignedUpload, Change), Failure> {
    let upload = pending(media, caller, announced, true);
    let presigned = media.presigner.upload(&caller.organization, &upload, UPLOAD_WINDOW)?;
    let mut change = Change::new(&caller.organization);
    change.create_media(&upload, daily_uploads(media, caller))?;
    Ok((upload, presigned, change))
}

fn no_such_media() -> Failure {
    Failure::not_found("mediaId", "media")
}

/// Returns the item if it belongs to the app, in any state.
fn expect_own(stored: Option<Media>, caller: &AppCaller) -> Result<Media, Failure> {
    stored.filter(|stored| stored.app_id == caller.app_id).ok_or_else(no_such_media)
}

/// Returns the item if it belongs to the app and is ready and not expired.
fn visible(media: &MediaContext, caller: &AppCaller, stored: Option<Media>) -> Result<Media, Failure> {
    let stored = expect_own(stored, caller)?;
    if stored.is_visible(media.context.now()) { Ok(stored) } else { Err(no_such_media()) }
}

/// Checks the bytes of a direct upload, and accepts exactly the bytes that were checked. Idempotent: returns media that is
/// already ready.
async fn complete(
    media: &MediaContext,
    caller: &AppCaller,
    stored: Option<Media>,
    settings: Option<Organization>,
) -> Result<(Media, Change), Failure> {
    let organization = &caller.organization;
    let upload = expect_own(stored, caller)?;
    let now = media.context.now();
    if upload.is_visible(now) {
        return Ok((upload, Change::new(organization)));
    }
    if upload.state != MediaState::Pending || upload.expires_at <= now {
        return Err(no_such_media());
    }

    let days = retention_days(settings)?;
    let incoming = media.bucket.fetch_incoming(organization, &upload).await?;
    let incoming = incoming.ok_or_else(|| {
        Failure::conflict("No bytes have been uploaded yet. Send them to uploadUrl first.").with_param("mediaId")
    })?;
    let etag = incoming.etag.clone();
    let announced = upload.clone();
    // Up to 100 MiB are read, on a separate thread, so that the request's time limit can interrupt the wait.
    let checked = spawn_blocking(move || check_incoming(&announced, incoming)).await.map_err(Failure::internal)?;

    let hash = match checked {
        Ok(hash) => hash,
        Err(rejection) => {
            // Uploads never overwrite, so the rejected object must be deleted before other bytes can be sent.
            media.bucket.delete_incoming(organization, &upload.id).await?;
            return Err(rejection);
        }
    };

    if !media.bucket.accept(organization, &upload, &etag).await? {
        return Err(
            Failure::conflict("The upload changed while it was checked. Complete it again.").with_param("mediaId")
        );
    }

    let mut ready = made_ready(upload, media.context.now(), days);
    ready.sha256 = Some(hash);
    let mut change = Change::new(organization);
    change.make_media_ready(&ready)?;
    Ok((ready, change))
}

/// Checks the uploaded bytes, and returns their hash.
fn check_incoming(upload: &Media, incoming: Incoming) -> Result<String, Failure> {
    if incoming.size != upload.file_size {
        let message = format!(
            "The upload has {} bytes, which differs from the announced {} bytes.",
            incoming.size, upload.file_size
        );
        return Err(Failure::invalid(FIELD, message));
    }
    let mut file = incoming.file.try_clone().map_err(Failure::internal)?;
    media_type(incoming.file, Some(&upload.mime_type))?;
    file.rewind().map_err(Failure::internal)?;
    sha256(file)
}

/// Hides the media, then deletes its bytes and its item. If this is interrupted, nothing is visible, and a repeated
/// request or the sweep deletes the rest.
async fn delete(media: &MediaContext, caller: &AppCaller, stored: Option<Media>) -> Result<(), Failure> {
    let organization = &caller.organization;
    let stored = expect_own(stored, caller)?;
    let is_visible = stored.is_visible(media.context.now());
    if is_visible {
        let mut hide = Change::new(organization);
        hide.hide_media(&stored.id, media.context.now())?;
        media.context.store.commit(&hide).await?;
    }

    // An earlier request has hidden it and was interrupted.
    if is_visible || stored.state == MediaState::Deleted {
        media.bucket.delete(organization, &stored.id).await?;
        let mut removal = Change::new(organization);
        removal.delete_media(&stored.id);
        media.context.store.commit(&removal).await?;
    }
    if is_visible { Ok(()) } else { Err(no_such_media()) }
}

/// Returns how long a download URL is valid, in seconds. It never outlives the media.
fn url_seconds(media: &Media, now: Timestamp) -> u64 {
    now.seconds_until(media.expires_at).min(URL_SECONDS)
}

/// Validates the announced size of a direct upload.
fn announced_size(sent: i64, media_type: MediaType) -> Result<u64, Failure> {
    let size = u64::try_from(sent).ok().filter(|size| *size > 0);
    let size = size.ok_or_else(|| Failure::invalid("fileSize", "fileSize must be at least 1."))?;
    let limit = media_type.kind.limit();
    if size > limit {
        return Err(too_large("fileSize", &kind_in_words(media_type), limit, Some(size), ""));
    }
    Ok(size)
}
