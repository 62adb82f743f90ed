use api::gateway::{Function, serve};
use aws::bucket::Bucket;
use aws::presign::Presigner;
use media::MediaContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let name = environment.required("BUCKET_NAME");
        let (presigner, bucket) = (Presigner::new(&connection, &name), Bucket::new(&connection, name).prepared());
        let live_bytes_a_day = environment.required("LIVE_UPLOAD_GIGABYTES_PER_DAY").parse::<u64>();
        let live_bytes_a_day =
            live_bytes_a_day.map_err(|_| "LIVE_UPLOAD_GIGABYTES_PER_DAY must be a whole number")? * 1_000_000_000;
        let store = context.store.clone();
        Ok(Function {
            installation: context.installation.clone(),
            warm_up: Some(Box::pin(async move { store.warm_up().await })),
            routes: media::routes(MediaContext { context, bucket, presigner, live_bytes_a_day }),
        })
    })
}
