//! `Idempotency-Key` for every POST with a credential. The response is stored in the transaction of the change,
//! encrypted with a key derived from the caller's credential. A request with the same key and input gets the stored
//! response; a request with the same key and different input is rejected. The rules are in docs/specification.md,
//! "Conventions".

mod attempt;
mod replay;
mod seal;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use domain::Failure;
use domain::identity::credential::{Bearer, Secret, hex};
use domain::identity::unauthenticated::Unauthenticated;
use domain::port::random_bytes;
use http::request::Parts;
use http::{HeaderName, StatusCode};
use ring::digest::{SHA256, digest};
use runtime::Context;
use store::{Change, Committed, RecordKey};

use crate::answer::{Answer, Rejection};
use crate::body;
use crate::caller::{Findings, bearer_value};

pub const HEADER: &str = "Idempotency-Key";
/// The header of a response that was stored for an earlier request.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The longest key, in characters.
pub const LONGEST_KEY: usize = 255;

/// Returns the failure of a request whose object a concurrent request changed first.
pub fn changed_meanwhile() -> Failure {
    Failure::conflict("Another request changed the same object. Retry the request.")
}

/// The `Idempotency-Key` of a request, if it has one. Extract it after the caller: this extractor does not validate the
/// credential.
pub struct Once {
    named: Option<Named>,
}

/// The `Idempotency-Key` of a request whose credential may not be validated yet.
struct Named {
    bearer: Bearer,
    findings: Findings,
    /// Method, path and `Idempotency-Key`.
    request: String,
}

impl Named {
    /// Returns the record of the request. It belongs to the key of the caller, whichever value of it was sent.
    fn scope(self) -> Scope {
        let sent = self.bearer.secret.sha256();
        let scope = [self.findings.identity().unwrap_or(&sent), &self.request].join("\n");
        let hash = hex(digest(&SHA256, scope.as_bytes()).as_ref());
        Scope { record: RecordKey { organization: self.bearer.organization, hash }, credential: self.bearer.secret }
    }
}

struct Scope {
    record: RecordKey,
    credential: Secret,
}

/// A change that is ready to be committed, and the response to send if the commit succeeds.
pub struct Planned<T> {
    pub change: Change,
    pub answer: Answer<T>,
}

/// The status and the JSON body of a response.
struct JsonResponse {
    status: StatusCode,
    body: Vec<u8>,
}

/// A request that is being processed.
pub struct Attempt<'a> {
    context: &'a Context,
    scope: Option<Scope>,
    fingerprint: String,
    lease: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Once {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let Some(key) = idempotency_key(parts)? else { return Ok(Once { named: None }) };
        let bearer = Bearer::parse(bearer_value(&parts.headers)?).ok_or(Unauthenticated::InvalidKey)?;
        let request = [parts.method.as_str(), parts.uri.path(), &key].join("\n");
        Ok(Once { named: Some(Named { bearer, findings: Findings::of(parts), request }) })
    }
}

/// Returns the key: visible ASCII characters, optionally in the quotes of a structured-field string.
fn idempotency_key(parts: &Parts) -> Result<Option<String>, Failure> {
    let mut values = parts.headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let refuse = || {
        Failure::invalid(
            HEADER,
            format!("{HEADER} must be 1 to {LONGEST_KEY} visible ASCII characters, such as a UUID. Send it once."),
        )
    };
    if values.next().is_some() {
        return Err(refuse());
    }

    let text = value.to_str().map_err(|_| refuse())?.trim();
    let unquoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    let visible = unquoted.bytes().all(|byte| byte.is_ascii_graphic());
    if !visible || unquoted.is_empty() || unquoted.len() > LONGEST_KEY {
        return Err(refuse());
    }
    Ok(Some(unquoted.to_owned()))
}

impl Once {
    /// Returns the fingerprint of a body with a short secret, such as a PIN. It depends on the credential, too: without
    /// it, whoever reads the table could find the secret by trying all values.
    pub fn keyed(&self, fingerprint: &str) -> String {
        let credential = self.named.as_ref().map(|named| named.bearer.secret.expose()).unwrap_or_default();
        body::fingerprint(&[credential.as_bytes(), fingerprint.as_bytes()])
    }

    /// Starts a request that only changes the table: its transaction detects a repeated request.
    pub fn attempt(self, context: &Context, fingerprint: String) -> Attempt<'_> {
        Attempt { context, scope: self.named.map(Named::scope), fingerprint, lease: None }
    }

    /// Starts a request that has effects outside the table: reserves the key for 60 s first. `Err` is the response to
    /// send instead, to a repeated request or if the key could not be reserved.
    pub async fn begin(self, context: &Context, fingerprint: String) -> Result<Attempt<'_>, Box<Response>> {
        let lease = hex(&random_bytes::<16>(context.random()));
        let mut attempt = self.attempt(context, fingerprint);
        if let Some(scope) = &attempt.scope {
            let begun = context.store.begin_idempotent(&scope.record, &attempt.fingerprint, &lease, context.now());
            match begun.await {
                Ok(Committed::Remembered(record)) => return Err(Box::new(attempt.replay(&record))),
                Ok(_) => attempt.lease = Some(lease),
                Err(failure) => return Err(Box::new(Rejection::from(failure).into_response())),
            }
        }
        Ok(attempt)
    }
}
