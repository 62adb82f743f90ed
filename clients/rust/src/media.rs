//! Uploading files: small ones through the API, larger ones directly to storage.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Method};
use url::Url;

use crate::address::is_this_machine;
use crate::clock::random_text;
use crate::content::{Content, Progress, Report, UploadSource};
use crate::generated::kinds::ErrorKind;
use crate::methods::MediaApi;
use crate::options::{Options, insert, option_methods};
use crate::plan::{Payload, Plan};
use crate::request::IDEMPOTENCY_KEY;
use crate::types::{CreateMediaUpload, Media, MediaUpload};
use crate::{Client, Error, Response, mime};

/// The largest file that the API takes in one request; larger ones go to storage.
const SMALL: u64 = 4 * 1024 * 1024;
/// The time limit of an upload to storage.
const STORAGE_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// An upload, made by `client.media().upload(…)`. It begins when it is awaited.
#[must_use = "an upload begins when it is awaited"]
pub struct Upload {
    client: Client,
    source: UploadSource,
    file_name: Option<String>,
    mime_type: Option<String>,
    report: Report,
    idempotency_key: Option<String>,
    options: Options,
}

impl MediaApi {
    /// Upload a file. Up to 4 MiB are one request; more goes to storage directly, without being held in memory.
    ///
    /// # Errors
    ///
    /// - `InvalidRequest` 413, 415: the file is too large for its kind, or not of an accepted type.
    pub fn upload(&self, source: UploadSource) -> Upload {
        Upload {
            client: self.0.clone(),
            source,
            file_name: None,
            mime_type: None,
            report: None,
            idempotency_key: None,
            options: Options::default(),
        }
    }
}

impl Upload {
    option_methods!();

    /// The file's name; by default, that of its path.
    pub fn file_name(self, name: &str) -> Self {
        Upload { file_name: Some(name.to_owned()), ..self }
    }

    /// The file's type; by default, what the ending of the name says.
    pub fn mime_type(self, mime_type: &str) -> Self {
        Upload { mime_type: Some(mime_type.to_owned()), ..self }
    }

    /// Is called as bytes are sent.
    pub fn on_progress(self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Upload { report: Some(Arc::new(report)), ..self }
    }

    /// Sets the `Idempotency-Key` instead of a random one.
    pub fn idempotency_key(self, key: &str) -> Self {
        Upload { idempotency_key: Some(key.to_owned()), ..self }
    }

    async fn run(self) -> Result<Response<Media>, Error> {
        let content = self.source.open(SMALL).await?;
        let name = self.file_name.or_else(|| content.name.clone()).unwrap_or_else(|| "file".to_owned());
        let kind = self.mime_type.map_or_else(|| mime::of_upload(&name).map(str::to_owned), Ok)?;
        let transfer = Transfer { client: self.client, content: Arc::new(content), report: self.report };
        let key = self.idempotency_key.unwrap_or_else(random_text);
        match transfer.content.size <= SMALL {
            true => transfer.post(&name, &kind, &key, self.options).await,
            false => transfer.through_storage(name, kind, &key, self.options).await,
        }
    }
}

impl IntoFuture for Upload {
    type Output = Result<Response<Media>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

struct Transfer {
    client: Client,
    content: Arc<Content>,
    report: Report,
}

impl Transfer {
    /// Sends a file as the part of a form. The bytes are the same in each attempt, which the key requires.
    async fn post(&self, name: &str, kind: &str, key: &str, options: Options) -> Result<Response<Media>, Error> {
        let boundary = random_text();
        // What would end the quoted name is written as browsers do.
        let name = name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        let disposition = format!("content-disposition: form-data; name=\"file\"; filename=\"{name}\"");
        let head = format!("--{boundary}\r\n{disposition}\r\ncontent-type: {kind}\r\n\r\n");
        let mut headers = Ok(HeaderMap::new());
        insert(&mut headers, CONTENT_TYPE.as_str(), &format!("multipart/form-data; boundary={boundary}"));
        insert(&mut headers, IDEMPOTENCY_KEY, key);
        let plan = Plan {
            method: Method::POST,
            url: format!("{}/v1/media", self.client.base_url()),
            headers: headers?,
            is_safe: true,
            is_for_storage: false,
            payload: self.payload(head.into(), format!("\r\n--{boundary}--\r\n").into()),
            options,
        };
        Response::read(self.client.0.json(&plan).await?)
    }

    async fn through_storage(
        &self,
        file_name: String,
        mime_type: String,
        key: &str,
        options: Options,
    ) -> Result<Response<Media>, Error> {
        let file_size = i64::try_from(self.content.size).unwrap_or(i64::MAX);
        let announced = CreateMediaUpload { file_name, mime_type: mime_type.into(), file_size };
        let mut begin = self.client.media().uploads().create(&announced).idempotency_key(key);
        begin.options = options.clone();
        let upload = begin.await?;
        self.put(&upload, options.clone()).await?;
        let mut complete = self.client.media().complete(&upload.id);
        complete.options = options;
        complete.await
    }

    /// Sends a file to the presigned address, which needs no credential.
    async fn put(&self, upload: &MediaUpload, mut options: Options) -> Result<(), Error> {
        let address = Url::parse(&upload.upload_url).ok();
        if !address.is_some_and(|address| address.scheme() == "https" || is_this_machine(&address)) {
            return Err(Error::new(ErrorKind::Internal, "uploadUrl is not https."));
        }
        let mut headers = Ok(HeaderMap::new());
        upload.headers.iter().for_each(|(name, value)| insert(&mut headers, name, value));
        let mut headers = headers?;
        // Storage takes no body of unknown length.
        headers.insert(CONTENT_LENGTH, HeaderValue::from(self.content.size));
        options.timeout = options.timeout.or(Some(STORAGE_TIMEOUT));

        let plan = Plan {
            method: Method::PUT,
            url: upload.upload_url.clone(),
            headers,
            is_safe: self.content.is_repeatable(),
            is_for_storage: true,
            payload: self.payload(Bytes::new(), Bytes::new()),
            options,
        };

        match self.client.0.send(&plan).await {
            // An earlier attempt has stored the file, but its response was lost. The completion checks the size.
            Err(error) if error.status() == Some(412) => Ok(()),
            other => other.map(drop),
        }
    }

    fn payload(&self, head: Bytes, tail: Bytes) -> Payload {
        Payload::File { content: Arc::clone(&self.content), head, tail, report: self.report.clone() }
    }
}

/// Without the bytes.
impl std::fmt::Debug for Upload {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Upload").field("source", &self.source).finish_non_exhaustive()
    }
}
