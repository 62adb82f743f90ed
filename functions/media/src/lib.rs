//! Media: uploads through the API or straight to the bucket, downloads by presigned URL, deletion.

mod detect;
mod files;
mod multipart;

use aws::bucket::Bucket;
use aws::presign::Presigner;
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::routing::{get, post};
use runtime::Context;
use utoipa::OpenApi;

#[derive(Clone)]
pub struct MediaContext {
    pub context: Context,
    pub bucket: Bucket,
    pub presigner: Presigner,
    /// That a live app may upload.
    pub live_bytes_a_day: u64,
}

impl FromRef<MediaContext> for Context {
    fn from_ref(media: &MediaContext) -> Self {
        media.context.clone()
    }
}

pub fn routes(context: MediaContext) -> Router {
    use files::http as files;

    Router::new()
        .route("/v1/media", post(files::upload_media))
        .route("/v1/media/uploads", post(files::create_upload))
        .route("/v1/media/{mediaId}", get(files::get_media).delete(files::delete_media))
        .route("/v1/media/{mediaId}/complete", post(files::complete_upload))
        // The extractors bound the body themselves, each with its own limit and failure.
        .layer(DefaultBodyLimit::disable())
        .with_state(context)
}

#[derive(OpenApi)]
#[openapi(paths(
    files::http::upload_media,
    files::http::create_upload,
    files::http::get_media,
    files::http::delete_media,
    files::http::complete_upload,
))]
pub struct Api;
