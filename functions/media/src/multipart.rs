//! The body of E9: one part, named `file`.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use domain::Failure;
use domain::media::{MULTIPART_LIMIT, too_large};
use futures_util::stream;
use http::header::CONTENT_TYPE;

use api::Rejection;

pub(crate) const FIELD: &str = "file";
/// No larger body comes through the gateway: an event has at most 6 MiB, and bytes lie in it as base64. What comes is read
/// whole, so that the refusal can name the size of the file.
const MOST: usize = 6 * 1024 * 1024 * 3 / 4;
const DIRECT_UPLOAD: &str = " Larger files go straight to storage: POST /v1/media/uploads.";

/// The file as it was sent.
pub(crate) struct UploadedFile {
    pub(crate) name: Option<String>,
    pub(crate) declared_type: Option<String>,
    pub(crate) bytes: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for UploadedFile {
    type Rejection = Rejection;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Rejection> {
        let content_type =
            request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let boundary = multer::parse_boundary(content_type).map_err(|error| match error {
            multer::Error::NoBoundary => Failure::invalid("Content-Type", "multipart/form-data needs a boundary."),
            _ => Failure::unsupported_type("This operation takes multipart/form-data with one part named file.")
                .with_param("Content-Type"),
        })?;
        let body = read(request.into_body()).await?;
        Ok(one_file(body, boundary).await?)
    }
}

async fn read(body: Body) -> Result<Bytes, Failure> {
    to_bytes(body, MOST).await.map_err(|_| upload_too_large(None))
}

fn upload_too_large(size: Option<u64>) -> Failure {
    too_large(FIELD, "A file in an upload through the API", MULTIPART_LIMIT, size, DIRECT_UPLOAD)
}

/// That `file` is missing comes before a part of another name, and that before a second file.
async fn one_file(body: Bytes, boundary: String) -> Result<UploadedFile, Failure> {
    let mut parts = multer::Multipart::new(stream::iter([Ok::<_, std::convert::Infallible>(body)]), boundary);
    let (mut file, mut unknown, mut repeated) = (None, None, false);
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        if part.name() != Some(FIELD) {
            unknown.get_or_insert(part.name().unwrap_or_default().to_owned());
            part.bytes().await.map_err(malformed)?;
            continue;
        }
        repeated |= file.is_some();
        let name = part.file_name().map(str::to_owned);
        let declared_type = part.content_type().map(ToString::to_string);
        let bytes = part.bytes().await.map_err(malformed)?;
        file = Some(UploadedFile { name, declared_type, bytes });
    }
    let file = file.ok_or_else(|| Failure::missing(FIELD))?;
    if let Some(name) = unknown {
        let param = if name.is_empty() { "body" } else { &name };
        return Err(Failure::invalid(param, "There is no part of this name in this operation."));
    }
    if repeated {
        return Err(Failure::invalid(FIELD, "There must be one part named file."));
    }
    let size = file.bytes.len() as u64;
    match size {
        0 => Err(Failure::invalid(FIELD, "The file is empty.")),
        size if size > MULTIPART_LIMIT => Err(upload_too_large(Some(size))),
        _ => Ok(file),
    }
}

fn malformed(_: multer::Error) -> Failure {
    Failure::invalid("body", "The body is not valid multipart/form-data.")
}
