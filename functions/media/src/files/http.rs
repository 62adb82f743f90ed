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
use domain::schema::{AcceptedType, HttpHeaders};
use domain::{Failure, Open, Timestamp};
use futures_util::future::try_join;
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::Reads;
use utoipa::ToSchema;

use super::Announced;
use crate::MediaContext;
use crate::multipart::UploadedFile;

/// An uploaded media file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Media)]
pub(crate) struct MediaView {
    id: MediaId,
    /// The name of the file, without folders.
    file_name: String,
    /// The MIME type of the content.
    mime_type: String,
    /// In bytes.
    file_size: u64,
    #[schema(value_type = MediaKind)]
    media_type: Open<MediaKind>,
    /// A presigned URL to download the file from.
    #[schema(format = "uri")]
    url: String,
    /// When the file will be deleted.
    expires_at: Timestamp,
    created_at: Timestamp,
    /// How long `url` is valid, in seconds: one hour, or less if the file is deleted before.
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
            sha256: _,
        } = media;
        Ok(MediaView { id, file_name, mime_type, file_size, media_type, url, expires_at, created_at, url_expires_in })
    }
}

/// A presigned URL to upload a file to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MediaUpload)]
pub(crate) struct UploadView {
    id: MediaId,
    /// Send the bytes with PUT to this URL, with exactly the headers in `headers`.
    #[schema(format = "uri")]
    upload_url: String,
    /// The headers of the PUT request.
    #[schema(value_type = HttpHeaders)]
    headers: BTreeMap<&'static str, String>,
    /// When the upload expires, unless it was completed: 15 minutes after it was created.
    expires_at: Timestamp,
}

/// The file to upload.
#[derive(ToSchema)]
#[schema(as = UploadMedia)]
#[expect(dead_code, reason = "describes the multipart body in the OpenAPI document")]
pub(crate) struct UploadForm {
    /// The bytes of the file, at most 4 MiB.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// The file that will be uploaded.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreateMediaUpload)]
pub(crate) struct CreateUpload {
    /// Folders and control characters are removed, and only the last 255 characters are kept.
    #[schema(min_length = 1, pattern = r"\S")]
    file_name: String,
    #[schema(value_type = AcceptedType)]
    mime_type: String,
    /// The exact size, in bytes. The maximum depends on the kind of file.
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
        let media_type = MediaType::named(&self.mime_type)
            .ok_or_else(|| MediaType::unsupported("mimeType is not an accepted type.").with_param("mimeType"))?;
        let file_size = super::announced_size(self.file_size, media_type)?;
        Ok(Announced { file_name: file_name(&self.file_name, super::UNNAMED), media_type, file_size })
    }
}

/// Upload media
///
/// Uploads a file of at most 4 MiB in one part named `file`. For larger files, use `POST /v1/media/uploads`. The type
/// of the file is detected from its content.
#[utoipa::path(post, path = "/v1/media", operation_id = "media.upload", tag = "Media",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body(content = UploadForm, description = "One part named `file`", content_type = "multipart/form-data"),
    responses((status = 201, description = "The media", body = MediaView),
        (status = 415, description = "The file is not of an accepted type, or its content does not match its declared type")))]
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
        Err(response) => return Ok(*response),
    };
    let planned = async {
        let (stored, change) = super::store_upload(&media, &caller, checked?).await?;
        let view = MediaView::new(&media, &caller.organization, stored)?;
        Ok(Planned { change, answer: Answer::created(view) })
    };
    attempt.finish(planned.await).await
}

/// Create a direct upload
///
/// Returns a presigned URL for a file up to the limit of its kind: images 5 MB, stickers 500 KB, video and audio 16 MB, documents
/// 100 MB (1 MB is 1,048,576 bytes). Send the bytes with PUT to `uploadUrl`, with the headers in `headers`, within 15 minutes. Then
/// complete the upload: until then, the media does not exist.
#[utoipa::path(post, path = "/v1/media/uploads", operation_id = "media.uploads.create", tag = "Media",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body = CreateUpload, responses((status = 201, description = "The URL to send the bytes to", body = UploadView),
        (status = 413, description = "The file is larger than the limit of its kind"),
        (status = 415, description = "`mimeType` is not an accepted type, or the body is not JSON")))]
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
/// Checks that the uploaded bytes have the announced size and type, and makes the media available. If the check fails, other
/// bytes can be sent to the same URL until the upload expires. Repeating the request returns the same media.
#[utoipa::path(post, path = "/v1/media/{mediaId}/complete", operation_id = "media.complete", tag = "Media",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("mediaId" = String, Path)),
    responses((status = 200, description = "The media", body = MediaView),
        (status = 409, description = "The bytes have not been uploaded yet, or another request changed this upload"),
        (status = 415, description = "The bytes are not of the announced type")))]
pub(crate) async fn complete_upload(
    State(media): State<MediaContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Path<Opaque>, Once)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path(Opaque(id)), once)| async move {
        let stored = try_join(find(&reads, &id), reads.organization()).await;
        Ok((id, once, stored))
    });
    let (caller, (id, once, stored)) = read.await?;

    let attempt = once.attempt(&media.context, fingerprint(&[]));
    let org = media.context.store.of(&caller.organization);
    let (media, caller) = (&media, &caller);
    let read = || try_join(find(&org, &id), org.organization());
    let decide = |stored: Result<_, Failure>| async move {
        let (upload, settings) = stored?;
        let (ready, change) = super::complete(media, caller, upload, settings).await?;
        let view = MediaView::new(media, &caller.organization, ready)?;
        Ok(Planned { change, answer: Answer::ok(view) })
    };
    attempt.run(stored, read, decide).await
}

/// Reads the media. A malformed id is treated like an unknown one.
async fn find(reads: &Reads, id: &str) -> Result<Option<Media>, Failure> {
    match id.parse() {
        Ok(id) => reads.media(&id).await,
        Err(_) => Ok(None),
    }
}

/// Get media
///
/// Returns the media with a new download URL.
#[utoipa::path(get, path = "/v1/media/{mediaId}", operation_id = "media.get", tag = "Media",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("mediaId" = String, Path)), responses((status = 200, description = "The media", body = MediaView)))]
pub(crate) async fn get_media(
    State(media): State<MediaContext>,
    claim: Claim<AppCaller>,
    path: Deferred<Path<Opaque>>,
) -> Result<Answer<MediaView>, Rejection> {
    let read = claim.with(path, |reads, Path(Opaque(id))| async move { find(&reads, &id).await });
    let (caller, stored) = read.await?;
    let stored = super::visible(&media, &caller, stored)?;
    Ok(Answer::ok(MediaView::new(&media, &caller.organization, stored)?))
}

/// Delete media
///
/// Deletes the media and its bytes. The bytes are deleted before the response is sent.
#[utoipa::path(delete, path = "/v1/media/{mediaId}", operation_id = "media.delete", tag = "Media",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("mediaId" = String, Path)), responses((status = 200, description = "The media was deleted", body = Message)))]
pub(crate) async fn delete_media(
    State(media): State<MediaContext>,
    claim: Claim<AppCaller>,
    path: Deferred<Path<Opaque>>,
) -> Result<Answer<Message>, Rejection> {
    let read = claim.with(path, |reads, Path(Opaque(id))| async move { find(&reads, &id).await });
    let (caller, stored) = read.await?;
    super::delete(&media, &caller, stored).await?;
    Ok(Answer::message("Media deleted"))
}
