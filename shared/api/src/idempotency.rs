//! `Idempotency-Key`, once for every POST. The answer is written in the change's own transaction, sealed with a key derived
//! from the caller's credential; the same key and input get it again, other input is refused.

use std::sync::atomic::{AtomicU32, Ordering};

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use domain::Failure;
use domain::credential::{Bearer, Secret, hex};
use domain::failure::Unauthenticated;
use domain::port::{Random, random_bytes};
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use ring::hkdf::{HKDF_SHA256, Salt};
use runtime::Context;
use serde::Serialize;
use store::{AnswerRecord, Change, Committed, RecordKey};

use crate::answer::{Answer, Rejection, json};
use crate::caller::bearer_value;
use crate::error_body::ErrorBody;

pub const HEADER: &str = "Idempotency-Key";
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const LONGEST_KEY: usize = 255;
const STALE_ATTEMPTS: u32 = 8;

/// The idempotency of one request, from its headers alone. Extract it after the caller, who proves the credential.
pub struct Once {
    scope: Option<Scope>,
}

struct Scope {
    record: RecordKey,
    credential: Secret,
}

/// A decision ready to be committed, with the answer for it.
pub struct Planned<T> {
    pub change: Change,
    pub answer: Answer<T>,
}

/// One request under way.
pub struct Attempt<'a> {
    context: &'a Context,
    scope: Option<Scope>,
    fingerprint: String,
    lease: Option<String>,
    tries: AtomicU32,
}

impl<S: Send + Sync> FromRequestParts<S> for Once {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let Some(key) = idempotency_key(parts)? else { return Ok(Once { scope: None }) };
        let bearer = Bearer::parse(bearer_value(&parts.headers)?).ok_or(Unauthenticated::InvalidKey)?;
        let scope = [&bearer.secret.sha256(), parts.method.as_str(), parts.uri.path(), &key].join("\n");
        let hash = hex(digest(&SHA256, scope.as_bytes()).as_ref());
        let record = RecordKey { organization: bearer.organization, hash };
        Ok(Once { scope: Some(Scope { record, credential: bearer.secret }) })
    }
}

/// 1 to 255 visible characters; the quotes of a structured-field string are tolerated.
fn idempotency_key(parts: &Parts) -> Result<Option<String>, Failure> {
    let mut values = parts.headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let refuse = || Failure::invalid(HEADER, format!("{HEADER} must be 1 to {LONGEST_KEY} visible ASCII characters."));
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
    /// For a change of the table alone: the transaction itself notices a repetition.
    pub fn attempt(self, context: &Context, fingerprint: String) -> Attempt<'_> {
        Attempt { context, scope: self.scope, fingerprint, lease: None, tries: AtomicU32::new(0) }
    }

    /// For work outside the table: takes the key for 60 s first. `Err` is the answer to a repetition.
    pub async fn begin(self, context: &Context, fingerprint: String) -> Result<Attempt<'_>, Box<Response>> {
        let lease = hex(&random_bytes::<16>(context.random()));
        let mut attempt = self.attempt(context, fingerprint);
        if let Some(scope) = &attempt.scope {
            let begun = context.store.begin_idempotent(&scope.record, &attempt.fingerprint, &lease, context.now());
            match begun.await {
                Ok(Committed::Remembered(record)) => return Err(Box::new(attempt.replay(scope, &record))),
                Ok(_) => attempt.lease = Some(lease),
                Err(failure) => return Err(Box::new(Rejection::from(failure).into_response())),
            }
        }
        Ok(attempt)
    }
}

impl Attempt<'_> {
    /// Commits the decision. `None` asks to read and decide again; too many of those are a conflict.
    pub async fn settle<T: Serialize>(
        &self,
        planned: Result<Planned<T>, Failure>,
    ) -> Result<Option<Response>, Rejection> {
        let committed = match planned {
            Ok(planned) => self.commit(planned).await,
            Err(failure) => Err(failure),
        };
        match committed {
            Ok(Some(response)) => Ok(Some(response)),
            Ok(None) if self.tries.fetch_add(1, Ordering::Relaxed) < STALE_ATTEMPTS => Ok(None),
            Ok(None) => self.refuse(Failure::conflict("Other requests change the same object; try again.")).await,
            Err(failure) => self.refuse(failure).await,
        }
    }

    /// `settle` for decisions that rest on nothing read before.
    pub async fn finish<T: Serialize>(&self, planned: Result<Planned<T>, Failure>) -> Result<Response, Rejection> {
        let settled = self.settle(planned).await?;
        settled.ok_or_else(|| Failure::conflict("Another request changed the same object; try again.").into())
    }

    async fn commit<T: Serialize>(&self, planned: Planned<T>) -> Result<Option<Response>, Failure> {
        let Planned { mut change, answer } = planned;
        let body = serde_json::to_vec(&answer.body).map_err(Failure::internal)?;
        if let Some(scope) = &self.scope {
            let sealed = scope.seal(&body, self.context.random())?;
            let (lease, now) = (self.lease.as_deref(), self.context.now());
            change.remember(&scope.record, &self.fingerprint, (answer.status.as_u16(), sealed), lease, now);
        }
        match (self.context.store.commit(&change).await?, &self.scope) {
            (Committed::Done | Committed::AlreadyDone, _) => Ok(Some(json(answer.status, body))),
            (Committed::Remembered(record), Some(scope)) => Ok(Some(self.replay(scope, &record))),
            (Committed::Remembered(_), None) => Err(Failure::internal("a record without a key")),
            (Committed::Stale, _) => Ok(None),
        }
    }

    /// A final refusal is remembered like an answer; one that may pass at the next try frees the key.
    async fn refuse(&self, failure: Failure) -> Result<Option<Response>, Rejection> {
        let Some(scope) = &self.scope else { return Err(failure.into()) };
        let store = &self.context.store;
        let may_pass = failure.retry_after().is_some() || matches!(failure.status(), 400 | 401 | 429 | 500..);
        if may_pass {
            // A rule that depends on the time may refuse what was done when it was sent first.
            if failure.status() == 400
                && self.lease.is_none()
                && let Some(record) = store.idempotent_answer(&scope.record, self.context.now()).await?
            {
                return Ok(Some(self.replay(scope, &record)));
            }
            if let Some(lease) = &self.lease {
                store.release_idempotent(&scope.record, lease).await?;
            }
            return Err(failure.into());
        }
        let body = serde_json::to_vec(&ErrorBody::new(&failure, &self.context.installation.docs_url));
        let sealed = scope.seal(&body.map_err(Failure::internal)?, self.context.random())?;
        let answer = (failure.status(), sealed);
        let (lease, now) = (self.lease.as_deref(), self.context.now());
        match store.remember_refusal(&scope.record, &self.fingerprint, answer, lease, now).await? {
            Committed::Remembered(record) => Ok(Some(self.replay(scope, &record))),
            _ => Err(failure.into()),
        }
    }

    fn replay(&self, scope: &Scope, record: &AnswerRecord) -> Response {
        match self.first_answer(scope, record) {
            Ok((status, body)) => {
                let mut response = json(status, body);
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                response
            }
            Err(failure) => Rejection::from(failure).into_response(),
        }
    }

    fn first_answer(&self, scope: &Scope, record: &AnswerRecord) -> Result<(StatusCode, Vec<u8>), Failure> {
        if record.fingerprint != self.fingerprint {
            let message = "This Idempotency-Key was used with other input; use a new one for a new request.";
            return Err(Failure::unprocessable(message).with_param(HEADER));
        }
        let Some((status, sealed)) = &record.answer else {
            let message = "The first request with this Idempotency-Key is still running.";
            return Err(Failure::conflict(message).with_param(HEADER).with_retry_after(1));
        };
        let status = StatusCode::from_u16(*status).map_err(Failure::internal)?;
        Ok((status, scope.open(sealed)?))
    }
}

impl Scope {
    /// One key for each credential and request: HKDF over the bearer value, with the record's hash as its purpose.
    fn key(&self) -> Result<LessSafeKey, Failure> {
        let salt = Salt::new(HKDF_SHA256, b"idempotent answer");
        let derived = salt.extract(self.credential.expose().as_bytes());
        let purpose = [self.record.hash.as_bytes()];
        let key = derived.expand(&purpose, &AES_256_GCM).map_err(|_| Failure::internal("key derivation failed"))?;
        Ok(LessSafeKey::new(UnboundKey::from(key)))
    }

    fn seal(&self, body: &[u8], random: &dyn Random) -> Result<Vec<u8>, Failure> {
        let nonce = random_bytes::<NONCE_LEN>(random);
        let mut sealed = body.to_vec();
        self.key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)
            .map_err(|_| Failure::internal("an answer could not be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, Failure> {
        let broken = || Failure::internal("a remembered answer could not be opened");
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN).ok_or_else(broken)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| broken())?;
        let mut body = sealed.to_vec();
        let length = self.key()?.open_in_place(nonce, Aad::empty(), &mut body).map_err(|_| broken())?.len();
        body.truncate(length);
        Ok(body)
    }
}

/// Reads and decides again while a concurrent change wins, for operations without an `Idempotency-Key`.
#[derive(Default)]
pub struct Retries(u32);

impl Retries {
    /// `None` asks for another round.
    pub async fn settle(&mut self, context: &Context, change: &Change) -> Result<Option<Committed>, Failure> {
        self.0 += 1;
        match context.store.commit(change).await? {
            Committed::Stale if self.0 < STALE_ATTEMPTS => Ok(None),
            Committed::Stale => Err(Failure::conflict("Other requests change the same object; try again.")),
            committed => Ok(Some(committed)),
        }
    }
}
