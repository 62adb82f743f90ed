use api::gateway::{Function, serve};
use bucket::Bucket;
use media::MediaContext;

fn main() -> Result<(), lambda_http::Error> {
    serve(|environment| {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let bucket = Bucket::new(&connection, environment.required("BUCKET_NAME"));
        Ok(Function {
            installation: context.installation.clone(),
            store: Some(context.store.clone()),
            router: media::routes(MediaContext { context, bucket }),
        })
    })
}
