//! The S3 bucket that holds the bytes of media.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{self, RequestChecksumCalculation, ResponseChecksumValidation};
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::MetadataDirective;
use bytes::Bytes;
use domain::Failure;
use domain::id::{ChatMessageId, MediaId, OrganizationId};
use domain::media::Media;

use crate::connection::{Connection, OnDemand, on_demand};
use crate::failure::{aws_code, aws_failure};
use crate::{client_config, objects};

/// The time limit of one attempt to upload an inbound medium.
const UPLOAD: Duration = Duration::from_secs(120);

/// The media bucket with its client, which is created on first use.
#[derive(Clone)]
pub struct Bucket {
    client: OnDemand<Client>,
    name: String,
}

/// A caller's upload as a temporary file, with the ETag of the bytes that were read.
pub struct Incoming {
    pub file: std::fs::File,
    pub size: u64,
    pub etag: String,
}

/// How many objects are listed at once.
const LISTED: i32 = 50;

/// An object of an organization.
#[derive(Debug)]
pub struct OwnedObject {
    key: String,
    /// The medium that it belongs to; `None` for the file of a message.
    pub media: Option<MediaId>,
}

impl OwnedObject {
    fn new(key: String) -> Self {
        let media = match objects::owner(&key) {
            Some(objects::Owner::Media(_, id)) => Some(id),
            _ => None,
        };
        OwnedObject { key, media }
    }
}

fn client(connection: &Connection) -> Client {
    let config = client_config!(aws_sdk_s3, connection)
        // TLS already protects the bytes in transit.
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
        .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
        // Virtual-hosted names such as `bucket.localhost` do not resolve everywhere.
        .force_path_style(connection.endpoint_url.is_some());
    Client::from_conf(config.build())
}

impl Bucket {
    pub fn new(connection: &Connection, name: String) -> Self {
        let connection = connection.clone();
        Bucket { client: on_demand(move || client(&connection)), name }
    }

    /// Creates the client at once, for functions that need it in many of their requests: a client that is created
    /// during the start does not delay a request.
    #[must_use]
    pub fn prepared(self) -> Self {
        LazyLock::force(&self.client);
        self
    }

    /// Stores the validated bytes of a medium.
    pub async fn put(&self, organization: &OrganizationId, media: &Media, bytes: Bytes) -> Result<(), Failure> {
        let call = self.client.put_object().bucket(&self.name).key(objects::checked(organization, &media.id));
        call.content_type(&media.mime_type).body(bytes.into()).send().await.map(|_| ()).map_err(failure)
    }

    /// Deletes the validated bytes and the upload. Succeeds if they do not exist.
    pub async fn delete(&self, organization: &OrganizationId, id: &MediaId) -> Result<(), Failure> {
        let remove = |key: String| self.client.delete_object().bucket(&self.name).key(key).send();
        tokio::try_join!(remove(objects::checked(organization, id)), remove(objects::incoming(organization, id)))
            .map(|_| ())
            .map_err(failure)
    }

    /// Deletes the caller's upload only. Succeeds if it does not exist.
    pub async fn delete_incoming(&self, organization: &OrganizationId, id: &MediaId) -> Result<(), Failure> {
        let call = self.client.delete_object().bucket(&self.name).key(objects::incoming(organization, id));
        call.send().await.map(|_| ()).map_err(failure)
    }

    /// Returns some of the objects of an organization, as many as S3 lists at once; none if there are none.
    pub async fn objects_of(&self, organization: &OrganizationId) -> Result<Vec<OwnedObject>, Failure> {
        for prefix in [objects::CHECKED, objects::INCOMING] {
            let call = self.client.list_objects_v2().bucket(&self.name).prefix(format!("{prefix}{organization}/"));
            let listed = call.max_keys(LISTED).send().await.map_err(failure)?;
            let keys = listed.contents.unwrap_or_default().into_iter().filter_map(|object| object.key);
            let found: Vec<_> = keys.map(OwnedObject::new).collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Deletes an object by its key.
    pub async fn delete_object(&self, object: &OwnedObject) -> Result<(), Failure> {
        let call = self.client.delete_object().bucket(&self.name).key(&object.key);
        call.send().await.map(|_| ()).map_err(failure)
    }

    /// Stores the file of an inbound message.
    pub async fn put_inbound(
        &self,
        organization: &OrganizationId,
        message: &ChatMessageId,
        mime_type: &str,
        file: &Path,
    ) -> Result<(), Failure> {
        let bytes = ByteStream::from_path(file).await.map_err(Failure::internal)?;
        let call = self.client.put_object().bucket(&self.name).key(objects::inbound(organization, message));
        // Uploading 100 MB takes longer than the time limit that suits all other calls.
        let patient = TimeoutConfig::builder().operation_attempt_timeout(UPLOAD).operation_timeout(UPLOAD * 2).build();
        let call = call.content_type(objects::inbound_type(mime_type)).body(bytes).customize();
        let call = call.config_override(config::Config::builder().timeout_config(patient));
        call.send().await.map(|_| ()).map_err(failure)
    }

    /// Deletes the file of an inbound message. Succeeds if it does not exist.
    pub async fn delete_inbound(&self, organization: &OrganizationId, message: &ChatMessageId) -> Result<(), Failure> {
        let call = self.client.delete_object().bucket(&self.name).key(objects::inbound(organization, message));
        call.send().await.map(|_| ()).map_err(failure)
    }

    /// Downloads the caller's upload to a temporary file; `None` if nothing was uploaded.
    pub async fn fetch_incoming(
        &self,
        organization: &OrganizationId,
        media: &Media,
    ) -> Result<Option<Incoming>, Failure> {
        let response =
            self.client.get_object().bucket(&self.name).key(objects::incoming(organization, &media.id)).send().await;
        let mut object = match response {
            Ok(object) => object,
            Err(error) if error.as_service_error().is_some_and(|error| error.is_no_such_key()) => return Ok(None),
            Err(error) => return Err(failure(error)),
        };

        let etag = object.e_tag().unwrap_or_default().to_owned();
        let mut file = tempfile::tempfile().map_err(Failure::internal)?;
        let mut size = 0;
        while let Some(chunk) = object.body.try_next().await.map_err(Failure::internal)? {
            size += chunk.len() as u64;
            // The signed `content-length` already limits the size; this is a second line of defence.
            if size > media.file_size {
                break;
            }
            file.write_all(&chunk).map_err(Failure::internal)?;
        }

        file.seek(SeekFrom::Start(0)).map_err(Failure::internal)?;
        Ok(Some(Incoming { file, size, etag }))
    }

    /// Copies the upload to the key of validated media, if its bytes are still those that were validated, which the
    /// ETag identifies. Returns `false` if they have been replaced or deleted since.
    pub async fn accept(&self, organization: &OrganizationId, media: &Media, etag: &str) -> Result<bool, Failure> {
        let copied = self
            .client
            .copy_object()
            .bucket(&self.name)
            .key(objects::checked(organization, &media.id))
            .copy_source(format!("{}/{}", self.name, objects::incoming(organization, &media.id)))
            .copy_source_if_match(etag)
            .content_type(&media.mime_type)
            .metadata_directive(MetadataDirective::Replace)
            .send()
            .await;
        match copied {
            Ok(_) => Ok(true),
            Err(error) if matches!(aws_code(&error), Some("PreconditionFailed" | "NoSuchKey")) => Ok(false),
            Err(error) => Err(failure(error)),
        }
    }
}

fn failure<E: ProvideErrorMetadata>(error: SdkError<E>) -> Failure {
    aws_failure("S3", &error)
}
