//! Media: uploads through the API or straight to the bucket, downloads by presigned URL, deletion.

mod detect;
mod files;
mod multipart;

use aws::bucket::Bucket;
use aws::presign::Presigner;
use axum::extract::FromRef;
use runtime::Context;

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

api::routes! {
    pub fn routes(MediaContext);
    files::http::upload_media,
    files::http::create_upload,
    files::http::get_media,
    files::http::delete_media,
    files::http::complete_upload,
}
