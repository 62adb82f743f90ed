use aws::bucket::Bucket;
use aws::presign::Presigner;
use axum::extract::FromRef;
use runtime::{Context, Environment};
use store::DailyUploads;

/// The state of this function's operations.
#[derive(Clone)]
pub struct MediaContext {
    pub context: Context,
    pub bucket: Bucket,
    pub presigner: Presigner,
    /// The daily limits on uploads of a live app.
    pub live_uploads: DailyUploads,
}

impl MediaContext {
    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let bucket = environment.required("BUCKET_NAME");
        Ok(MediaContext {
            context: environment.context(&connection),
            presigner: Presigner::new(&connection, &bucket),
            bucket: Bucket::new(&connection, bucket).prepared(),
            live_uploads: DailyUploads {
                files: whole(environment, "LIVE_UPLOADS_PER_DAY")?,
                bytes: whole(environment, "LIVE_UPLOAD_GIGABYTES_PER_DAY")? * 1_000_000_000,
            },
        })
    }
}

fn whole(environment: &mut Environment, name: &'static str) -> Result<u64, String> {
    environment.required(name).parse().map_err(|_| format!("{name} must be a whole number"))
}

impl FromRef<MediaContext> for Context {
    fn from_ref(media: &MediaContext) -> Self {
        media.context.clone()
    }
}
