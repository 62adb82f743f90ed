//! Lists, finds and deletes objects in the bucket.

use std::collections::BTreeSet;

use aws::Connection;
use aws::client_config;
use aws::failure::aws_failure;
use aws_sdk_s3::Client;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use domain::Failure;

const PREFIXES: [&str; 2] = [aws::objects::CHECKED, aws::objects::INCOMING];

pub struct Objects {
    client: Client,
    bucket: String,
}

impl Objects {
    pub fn new(connection: &Connection, bucket: &str) -> Self {
        // Subdomains of localhost do not resolve on all systems.
        let config = client_config!(aws_sdk_s3, connection).force_path_style(connection.endpoint_url.is_some());
        Objects { client: Client::from_conf(config.build()), bucket: bucket.to_owned() }
    }

    pub(crate) async fn names(&self) -> Result<BTreeSet<String>, Failure> {
        let mut names = BTreeSet::new();
        for prefix in PREFIXES {
            let mut start = None;
            loop {
                let call = self.client.list_objects_v2().bucket(&self.bucket).prefix(prefix);
                let page = call.set_continuation_token(start).send().await.map_err(failure)?;
                names.extend(page.contents().iter().filter_map(|object| object.key().map(str::to_owned)));
                start = page.next_continuation_token().map(str::to_owned);
                if start.is_none() {
                    break;
                }
            }
        }
        Ok(names)
    }

    pub(crate) async fn exists(&self, name: &str) -> Result<bool, Failure> {
        match self.client.head_object().bucket(&self.bucket).key(name).send().await {
            Ok(_) => Ok(true),
            Err(error) if error.raw_response().is_some_and(|response| response.status().as_u16() == 404) => Ok(false),
            Err(error) => Err(failure(error)),
        }
    }

    pub(crate) async fn keeps_versions(&self) -> Result<bool, Failure> {
        let answer = self.client.get_bucket_versioning().bucket(&self.bucket).send().await.map_err(failure)?;
        Ok(answer.status().is_some())
    }

    pub(crate) async fn delete(&self, names: &[String]) -> Result<(), Failure> {
        for name in names {
            self.client.delete_object().bucket(&self.bucket).key(name).send().await.map_err(failure)?;
        }
        Ok(())
    }
}

fn failure<E: ProvideErrorMetadata>(error: SdkError<E>) -> Failure {
    aws_failure("S3", &error)
}
