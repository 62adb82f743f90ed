//! What all requests of a client share, and the rules of sending: credentials, retries and responses.

use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT};
use http::{HeaderMap, Uri};
use serde_json::Value;

use crate::credential::Credential;
use crate::failure::error_of;
use crate::generated::kinds::ErrorKind;
use crate::plan::Plan;
use crate::retry::wait_after;
use crate::transport::{Transport, TransportError};
use crate::{Clock, Error, Response};

const AGENT: &str = concat!("messaging-client-rust/", env!("CARGO_PKG_VERSION"));

#[derive(Debug)]
pub(crate) struct Core {
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) credential: Credential,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
}

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) max_retries: u32,
    pub(crate) headers: HeaderMap,
}

impl Core {
    /// Sends a request, and repeats it where that has no second effect.
    pub(crate) async fn send(&self, plan: &Plan) -> Result<http::Response<bytes::Bytes>, Error> {
        let retries = plan.options.max_retries.unwrap_or(self.settings.max_retries);
        let (mut retry, mut is_renewed) = (0, false);
        let mut refused: Option<HeaderValue> = None;
        loop {
            let credential = match plan.is_for_storage {
                true => None,
                false => self.credential.get(refused.as_ref()).await?,
            };
            let error = match self.attempt(plan, credential.as_ref()).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            if error.status() == Some(401) && !is_renewed && self.credential.is_renewed() {
                (is_renewed, refused) = (true, credential);
                continue;
            }
            let wait = (retry < retries).then(|| wait_after(&error, plan.is_safe, retry, &*self.clock)).flatten();
            let Some(wait) = wait else { return Err(error) };
            (retry, refused) = (retry + 1, None);
            self.clock.sleep(wait).await;
        }
    }

    /// Sends a request, and reads the JSON of its response.
    pub(crate) async fn json(&self, plan: &Plan) -> Result<Response<Value>, Error> {
        let (head, body) = self.send(plan).await?.into_parts();
        let value = match body.is_empty() {
            true => Value::Null,
            false => match serde_json::from_slice(&body) {
                Ok(value) => value,
                Err(_) => return Err(not_of_the_api(head, &body)),
            },
        };
        Ok(Response::new(head.status.as_u16(), head.headers, value))
    }

    async fn attempt(
        &self,
        plan: &Plan,
        credential: Option<&HeaderValue>,
    ) -> Result<http::Response<bytes::Bytes>, Error> {
        let timeout = plan.options.timeout.unwrap_or(self.settings.timeout);
        let request = self.request(plan, credential)?;
        let host = request.uri().authority().map_or_else(String::new, ToString::to_string);
        let response = match tokio::time::timeout(timeout, self.transport.send(request)).await {
            Ok(sent) => sent.map_err(|error| unreachable(&host, error))?,
            Err(_) => {
                let text = format!("{host} did not respond within {} s.", timeout.as_secs_f64());
                return Err(Error::new(ErrorKind::Timeout, text));
            }
        };
        if response.status().is_success() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        Err(error_of(head.status.as_u16(), head.headers, parsed(&body), self.clock.now()))
    }

    fn request(
        &self,
        plan: &Plan,
        credential: Option<&HeaderValue>,
    ) -> Result<http::Request<crate::transport::Body>, Error> {
        let uri: Uri = plan.url.parse().map_err(|_| Error::usage(format!("{} is not a URL.", plan.url)))?;
        let mut request = http::Request::new(plan.payload.body());
        *request.method_mut() = plan.method.clone();
        *request.uri_mut() = uri;
        let headers = request.headers_mut();
        if !plan.is_for_storage {
            headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
            headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
            if let Some(credential) = credential {
                headers.insert(AUTHORIZATION, credential.clone());
            }
            replace(headers, &self.settings.headers);
        }
        replace(headers, &plan.headers);
        if !plan.is_for_storage {
            replace(headers, plan.options.headers.as_ref().map_err(Clone::clone)?);
        }
        Ok(request)
    }
}

fn replace(headers: &mut HeaderMap, by: &HeaderMap) {
    for (name, value) in by {
        headers.insert(name.clone(), value.clone());
    }
}

fn unreachable(host: &str, error: TransportError) -> Error {
    if let Some(usage) = error.usage {
        return usage;
    }
    let reason = error.reason.trim_end_matches('.');
    let mut of_connection = Error::new(ErrorKind::Connection, format!("{host} cannot be reached: {reason}."));
    of_connection.0.was_refused = error.was_refused;
    of_connection
}

/// Returns what a body says as JSON, or its text.
fn parsed(body: &[u8]) -> Value {
    let text = || match body.is_empty() {
        true => Value::Null,
        false => Value::String(String::from_utf8_lossy(body).into_owned()),
    };
    serde_json::from_slice(body).unwrap_or_else(|_| text())
}

fn not_of_the_api(head: http::response::Parts, body: &[u8]) -> Error {
    let text = "The response is not the API's. Check that base_url leads to an installation.";
    let mut error = Error::new(ErrorKind::Internal, text).with_body(parsed(body));
    error.0.status = Some(head.status.as_u16());
    error.0.request_id = crate::failure::request_id(&head.headers);
    error.0.headers = Some(head.headers);
    error
}
