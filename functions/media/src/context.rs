use aws::bucket::Bucket;
use aws::presign::Presigner;
use axum::extract::FromRef;
use runtime::Context;

/// The state of this function's operations.
#[derive(Clone)]
pub struct MediaContext {
    pub context: Context,
    pub bucket: Bucket,
    pub presigner: Presigner,
    /// The number of bytes that a live app may upload per day.
    pub live_bytes_a_day: u64,
}

impl FromRef<MediaContext> for Context {
    fn from_ref(media: &MediaContext) -> Self {
        media.context.clone()
    }
}
