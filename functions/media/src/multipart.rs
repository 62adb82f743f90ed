//! The body of the upload operation: one part, named `file`.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use domain::Failure;
use domain::media::{MULTIPART_LIMIT, too_large};
use futures_util::stream;
use http::header::CONTENT_TYPE;

use api::Rejection;
use api::body::expect_utf8;

pub(crate) const FIELD: &str = "file";
/// The largest body that the gateway forwards: an invocation has at most 6 MiB and contains the body as base64. The
/// body is read completely, so that an error can report the size of the file.
const MOST: usize = 6 * 1024 * 1024 * 3 / 4;
const DIRECT_UPLOAD: &str = " Upload larger files directly to storage: POST /v1/media/uploads.";

/// The file as the caller sent it.
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
            multer::Error::NoBoundary => {
                Failure::invalid("Content-Type", "Content-Type must be multipart/form-data with a boundary.")
            }
            _ => Failure::unsupported_type("This operation requires multipart/form-data with one part named file.")
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

const ONE_PART: &str = "Send one part named file.";
/// The number of characters of an unknown part's name that a message repeats.
const LONGEST_NAME: usize = 100;

/// Reads the parts. Errors in order: `file` is missing, a part has another name, `file` is repeated.
async fn one_file(body: Bytes, boundary: String) -> Result<UploadedFile, Failure> {
    let mut parts = multer::Multipart::new(stream::iter([Ok::<_, std::convert::Infallible>(body)]), boundary);
    let (mut file, mut unknown, mut repeated) = (None, None, false);
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        // Only the names of the part and the file and the declared type are checked, not the bytes of the file.
        part.headers().values().try_for_each(|value| expect_utf8(value.as_bytes()))?;
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

    let unknown = unknown.map(|name| unknown_part(&name));
    let Some(file) = file else {
        return Err(match unknown {
            Some(unknown) => Failure::missing(FIELD).with_unknown(&unknown),
            None => Failure::missing_with(FIELD, format!("{FIELD} is required. {ONE_PART}")),
        });
    };
    if let Some(unknown) = unknown {
        return Err(unknown);
    }
    if repeated {
        return Err(Failure::invalid(FIELD, format!("The body has several parts named file. {ONE_PART}")));
    }

    let size = file.bytes.len() as u64;
    match size {
        0 => Err(Failure::invalid(FIELD, "The file is empty. Send at least one byte.")),
        size if size > MULTIPART_LIMIT => Err(upload_too_large(Some(size))),
        _ => Ok(file),
    }
}

/// Returns the failure about a part with another name.
fn unknown_part(name: &str) -> Failure {
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let message = format!("\"{shown}\" is not a form field of this operation. {ONE_PART}");
    Failure::invalid(if name.is_empty() { "body" } else { name }, message)
}

fn malformed(_: multer::Error) -> Failure {
    Failure::invalid("body", format!("The body is not valid multipart/form-data. {ONE_PART}"))
}
