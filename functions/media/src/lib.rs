//! Media operations: uploads through the API or directly to the bucket, downloads by presigned URL, and deletion.

mod context;
mod detect;
mod files;
mod multipart;

pub use context::MediaContext;

api::routes! {
    pub fn routes(MediaContext);
    files::http::upload_media as "media.upload" => MediaWrite,
    files::http::create_upload as "media.uploads.create" => MediaWrite,
    files::http::get_media as "media.get" => MediaRead,
    files::http::delete_media as "media.delete" => MediaWrite,
    files::http::complete_upload as "media.complete" => MediaWrite,
}
