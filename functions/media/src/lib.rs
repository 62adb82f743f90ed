//! Media operations: uploads through the API or directly to the bucket, downloads by presigned URL, and deletion.

mod context;
mod detect;
mod files;
mod multipart;

pub use context::MediaContext;

api::routes! {
    pub fn routes(MediaContext);
    files::http::upload_media => MediaWrite,
    files::http::create_upload => MediaWrite,
    files::http::get_media => MediaRead,
    files::http::delete_media => MediaWrite,
    files::http::complete_upload => MediaWrite,
}
