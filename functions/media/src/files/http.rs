use std::collections::BTreeMap;

use api::answer::Message;
use api::body::fingerprint;
use api::idempotency::Planned;
use api::path::Opaque;
use api::{Answer, AppCaller, Claim, Deferred, Input, Json, Once, Path, Rejection};
use aws::presign::PresignedUpload;
use axum::extract::State;
use axum::response::Response;
use domain::id::{MediaId, OrganizationId};
use domain::media::{Media, MediaKind, MediaType, file_name};
use domain::schema::AcceptedType;
use domain::{Failure, Open, Timestamp};
use futures_util::future::try_join;
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::Reads;
use utoipa::ToSchema;

use super::Announced;
use crate::MediaContext;
use crate::multipart::UploadedFile;

/// A media file (service.md, "Media").
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Media)]
pub(crate) struct MediaView {
    id: MediaId,
    file_name: String,
    mime_type: String,
    /// Bytes.
    file_size: u64,
    #[schema(value_type = MediaKind)]
    media_type: Open<MediaKind>,
    /// A presigned download address.
    #[schema(format = "uri")]
    url: String,
    /// When the media will be deleted.
    expires_at: Timestamp,
    created_at: Timestamp,
    /// Seconds until `url` expires: an hour, or less if the media ends before.
    url_expires_in: u64,
}

impl MediaView {
    fn new(context: &MediaContext, organization: &OrganizationId, media: Media) -> Result<Self, Failure> {
        let url_expires_in = super::url_seconds(&media, context.context.now());
        let url = context.presigner.download(organization, &media, url_expires_in)?;
        let Media {
            id,
            app_id: _,
            state: _,
            file_name,
            mime_type,
            media_type,
            file_size,
            expires_at,
            created_at,
            is_direct: _,
        } = media;
        Ok(MediaView { id, file_name, mime_type, file_size, media_type, url, expires_at, created_at, url_expires_in })
    }
}

/// Where to send a file's bytes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MediaUpload)]
pub(crate) struct UploadView {
    id: MediaId,
    /// PUT the bytes here, with exactly these headers.
    #[schema(format = "uri")]
    upload_url: String,
    headers: BTreeMap<&'static str, String>,
    /// When the upload is given up: 15 minutes from now.
    expires_at: Timestamp,
}

/// The file to upload.
#[derive(ToSchema)]
#[schema(as = UploadMedia)]
#[expect(dead_code, reason = "describes the multipart body in the OpenAPI document")]
pub(crate) struct UploadForm {
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// The file that is going to be uploaded.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateUpload {
    /// Loses folders and control characters, and all but its last 255 characters.
    #[schema(min_length = 1, pattern = r"\S")]
    file_name: String,
    #[schema(value_type = AcceptedType)]
    mime_type: String,
    /// Bytes, exactly.
    #[schema(minimum = 1, maximum = 104_857_600)]
    file_size: i64,
}

impl Input for CreateUpload {
    const REQUIRED: &'static [&'static str] = &["fileName", "mimeType", "fileSize"];
    type Checked = Announced;

    fn check(self, _context: &Context) -> Result<Announced, Failure> {
        if self.file_name.trim().is_empty() {
            return Err(Failure::invalid("fileName", "fileName must not be empty."));
        }
        let media_type = MediaType::parse(&self.mime_type)
            .ok_or_else(|| MediaType::unsupported("This type is not accepted.").with_param("mimeType"))?;
        let file_size = super::announced_size(self.file_size, media_type)?;
        Ok(Announced { file_name: file_name(&self.file_name, super::UNNAMED), media_type, file_size })
    }
}

/// Upload media
///
/// One part named `file`, at most 4 MiB; larger files go straight to storage with `POST /v1/media/uploads`. The content
/// decides what the file is.
#[utoipa::path(post, path = "/v1/media", tag = "Media", security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body(content = UploadForm, description = "One part, named `file`", content_type = "multipart/form-data"),
    responses((status = 201, description = "The media", body = MediaView),
        (status = 415, description = "The file is of no type that is accepted, or is something else than its declared type says")))]
pub(crate) async fn upload_media(
    State(media): State<MediaContext>,
    caller: AppCaller,
    once: Once,
    file: UploadedFile,
) -> Result<Response, Rejection> {
    let input = fingerprint(&[
        file.name.as_deref().unwrap_or_default().as_bytes(),
        file.declared_type.as_deref().unwrap_or_default().as_bytes(),
        &file.bytes,
    ]);
    let checked = super::check(file);
    let attempt = match once.begin(&media.context, input).await {
        Ok(attempt) => attempt,
        Err(repetition) => return Ok(*repetition),
    };
    let planned = async {
        let (stored, change) = super::store_upload(&media, &caller, checked?).await?;
        let view = MediaView::new(&media, &caller.organization, stored)?;
        Ok(Planned { change, answer: Answer::created(view) })
    };
    attempt.finish(planned.await).await
}

/// Announce a direct upload
///
/// For files up to the limit of their kind: PUT the bytes to `uploadUrl` with the given headers within 15 minutes, then
/// complete the upload. Before that the media does not exist.
#[utoipa::path(post, path = "/v1/media/uploads", tag = "Media", security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body = CreateUpload, responses((status = 201, description = "Where to send the bytes", body = UploadView),
        (status = 413, description = "The file would be larger than its kind may be"),
        (status = 415, description = "`mimeType` is no type that is accepted, or the body is not JSON")))]
pub(crate) async fn create_upload(
    State(media): State<MediaContext>,
    caller: AppCaller,
    once: Once,
    body: Json<CreateUpload>,
) -> Result<Response, Rejection> {
    let planned = super::announce(&media, &caller, body.input).await.map(|(upload, presigned, change)| {
        let PresignedUpload { url: upload_url, headers } = presigned;
        let view = UploadView { id: upload.id, upload_url, headers, expires_at: upload.expires_at };
        Planned { change, answer: Answer::created(view) }
    });
    once.attempt(&media.context, body.fingerprint).finish(planned).await
}

/// Complete a direct upload
///
/// Checks the uploaded bytes against what was announced. Repeating it answers the same media.
#[utoipa::path(post, path = "/v1/media/{mediaId}/complete", tag = "Media",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("mediaId" = String, Path)),
    responses((status = 200, description = "The media", body = MediaView),
        (status = 409, description = "The bytes are not there yet, or another request completes this upload"),
        (status = 415, description = "The bytes are of another type than was announced")))]
pub(crate) async fn complete_upload(
    State(media): State<MediaContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<Opaque>, Once)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path(Opaque(id)), once)| async move {
        let found = try_join(named(&reads, &id), reads.organization()).await;
        Ok((id, once, found))
    });
    let (caller, (id, once, found)) = read.await?;
    let attempt = once.attempt(&media.context, fingerprint(&[]));
    let own = media.context.store.of(&caller.organization);
    let (media, caller) = (&media, &caller);
    let read = || try_join(named(&own, &id), own.organization());
    let decide = |found: Result<_, Failure>| async move {
        let (ready, change) = super::complete(media, caller, found?).await?;
        let view = MediaView::new(media, &caller.organization, ready)?;
        Ok(Planned { change, answer: Answer::ok(view) })
    };
    attempt.run(found, read, decide).await
}

/// An id that is none of ours is not found, like one of another app.
async fn named(reads: &Reads, id: &str) -> Result<Option<Media>, Failure> {
    match id.parse() {
        Ok(id) => reads.media(&id).await,
        Err(_) => Ok(None),
    }
}

/// Get media
///
/// With a fresh download address.
#[utoipa::path(get, path = "/v1/media/{mediaId}", tag = "Media", security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("mediaId" = String, Path)), responses((status = 200, description = "The media", body = MediaView)))]
pub(crate) async fn get_media(
    State(media): State<MediaContext>,
    claim: Claim<AppCaller>,
    path: Deferred<Path<Opaque>>,
) -> Result<Answer<MediaView>, Rejection> {
    let read = claim.with(path, |reads, Path(Opaque(id))| async move { named(&reads, &id).await });
    let (caller, found) = read.await?;
    let found = super::visible(&media, &caller, found)?;
    Ok(Answer::ok(MediaView::new(&media, &caller.organization, found)?))
}

/// Delete media
///
/// The bytes are gone before this answers.
#[utoipa::path(delete, path = "/v1/media/{mediaId}", tag = "Media", security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("mediaId" = String, Path)), responses((status = 200, description = "Deleted", body = Message)))]
pub(crate) async fn delete_media(
    State(media): State<MediaContext>,
    claim: Claim<AppCaller>,
    path: Deferred<Path<Opaque>>,
) -> Result<Answer<Message>, Rejection> {
    let read = claim.with(path, |reads, Path(Opaque(id))| async move { named(&reads, &id).await });
    let (caller, found) = read.await?;
    super::delete(&media, &caller, found).await?;
    Ok(Answer::message("Media deleted"))
}
