//! `Idempotency-Key` for every POST with a credential. The response is stored in the transaction of the change,
//! encrypted with a key derived from the caller's credential. A request with the same key and input gets the stored
//! response; a request with the same key and different input is rejected. The rules are in docs/specification.md,
//! "Conventions".

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use domain::Failure;
use domain::credential::{Bearer, Secret, hex};
use domain::message::MessageId;
use domain::port::{Random, random_bytes};
use domain::unauthenticated::Unauthenticated;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use ring::hkdf::{HKDF_SHA256, Salt};
use runtime::Context;
use serde::Serialize;
use store::{Change, Committed, RecordKey, ResponseRecord};

use crate::answer::{Answer, Rejection, json};
use crate::caller::bearer_value;
use crate::error_body::ErrorBody;

pub const HEADER: &str = "Idempotency-Key";
/// The header of a response that was stored for an earlier request.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const LONGEST_KEY: usize = 255;
const DAY_SECONDS: i64 = 24 * 3600;

/// The `Idempotency-Key` of a request, if it has one. Extract it after the caller: this extractor does not validate the
/// credential.
pub struct Once {
    scope: Option<Scope>,
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
        let Some(key) = idempotency_key(parts)? else { return Ok(Once { scope: None }) };
        let bearer = Bearer::parse(bearer_value(&parts.headers)?).ok_or(Unauthenticated::InvalidKey)?;
        let scope = [&bearer.secret.sha256(), parts.method.as_str(), parts.uri.path(), &key].join("\n");
        let hash = hex(digest(&SHA256, scope.as_bytes()).as_ref());
        let record = RecordKey { organization: bearer.organization, hash };
        Ok(Once { scope: Some(Scope { record, credential: bearer.secret }) })
    }
}

/// Returns the key: 1 to 255 visible ASCII characters, optionally in the quotes of a structured-field string.
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
    /// Starts a request that only changes the table: its transaction detects a repeated request.
    pub fn attempt(self, context: &Context, fingerprint: String) -> Attempt<'_> {
        Attempt { context, scope: self.scope, fingerprint, lease: None }
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

impl Attempt<'_> {
    /// Returns what identifies the request and its input; `None` without an `Idempotency-Key`. A key can be used again
    /// after 24 hours, so the identity differs between days (UTC).
    pub fn identity(&self) -> Option<String> {
        self.scope.as_ref().map(|scope| {
            let day = self.context.now().seconds().div_euclid(DAY_SECONDS);
            let identity = format!("{}\n{}\n{day}", scope.record.hash, self.fingerprint);
            hex(digest(&SHA256, identity.as_bytes()).as_ref())
        })
    }

    /// Commits the change that `decide` returns for the state `seen`. If a concurrent request wins, reads the state and
    /// decides again.
    pub async fn run<Seen, T, R, D>(
        &self,
        seen: Seen,
        read: impl Fn() -> R,
        decide: impl Fn(Seen) -> D,
    ) -> Result<Response, Rejection>
    where
        T: Serialize,
        R: Future<Output = Seen>,
        D: Future<Output = Result<Planned<T>, Failure>>,
    {
        let alone = |seen| {
            let planned = decide(seen);
            async { Ok((planned.await?, ())) }
        };
        self.run_with(seen, read, alone).await.map(|(response, _)| response)
    }

    /// Like [`Attempt::run`], for a decision with follow-up work. The second value is `Some` if this request made the
    /// change, and `None` if an earlier request did.
    pub async fn run_with<Seen, T, Rest, R, D>(
        &self,
        seen: Seen,
        read: impl Fn() -> R,
        decide: impl Fn(Seen) -> D,
    ) -> Result<(Response, Option<Rest>), Rejection>
    where
        T: Serialize,
        R: Future<Output = Seen>,
        D: Future<Output = Result<(Planned<T>, Rest), Failure>>,
    {
        let remembered = |seen| {
            let decided = decide(seen);
            async {
                let (planned, rest) = decided.await?;
                let (change, answer) = self.with_record(planned)?;
                Ok((change, (answer, rest)))
            }
        };
        match self.context.store.settle_with_outcome(seen, read, remembered).await {
            Ok((committed, (answer, rest))) => {
                let rest = Some(rest).filter(|_| !matches!(committed, Committed::Remembered(_)));
                Ok((self.respond(&committed, answer), rest))
            }
            Err(failure) => Ok((self.refuse(failure).await?, None)),
        }
    }

    /// Commits a change that does not depend on earlier reads.
    pub async fn finish<T: Serialize>(&self, planned: Result<Planned<T>, Failure>) -> Result<Response, Rejection> {
        let (change, answer) = match planned.and_then(|planned| self.with_record(planned)) {
            Ok(planned) => planned,
            Err(failure) => return self.refuse(failure).await,
        };
        match self.context.store.commit(&change).await {
            Ok(Committed::Stale) => {
                Err(Failure::conflict("Another request changed the same object. Retry the request.").into())
            }
            Ok(committed) => Ok(self.respond(&committed, answer)),
            Err(failure) => self.refuse(failure).await,
        }
    }

    /// Returns the response, or the stored one if the `Idempotency-Key` was used before.
    fn respond(&self, committed: &Committed, (status, body): (StatusCode, Vec<u8>)) -> Response {
        match (committed, &self.scope) {
            (Committed::Remembered(record), Some(_)) => self.replay(record),
            _ => json(status, body),
        }
    }

    /// Adds the record of the response to the change.
    fn with_record<T: Serialize>(&self, planned: Planned<T>) -> Result<(Change, (StatusCode, Vec<u8>)), Failure> {
        let Planned { mut change, answer } = planned;
        let body = serde_json::to_vec(&answer.body).map_err(Failure::internal)?;
        if let Some(scope) = &self.scope {
            let sealed = scope.seal(&body, self.context.random())?;
            let (lease, now) = (self.lease.as_deref(), self.context.now());
            change.remember(&scope.record, &self.fingerprint, (answer.status.as_u16(), sealed), lease, now);
        }
        Ok((change, (answer.status, body)))
    }

    /// Stores a failure, so that a retry gets the same response. A failure after which the same request may succeed is
    /// not stored and releases the key, so that a retry runs again.
    async fn refuse(&self, failure: Failure) -> Result<Response, Rejection> {
        match self.note_refusal(&failure).await? {
            Some(record) => Ok(self.replay(&record)),
            None => Err(failure.into()),
        }
    }

    /// Does the same and returns the record of an earlier request with this key, if there is one: it decides what is
    /// responded, not the failure.
    pub async fn note_refusal(&self, failure: &Failure) -> Result<Option<ResponseRecord>, Failure> {
        let Some(scope) = &self.scope else { return Ok(None) };
        let store = &self.context.store;
        let may_succeed_later = failure.retry_after().is_some() || matches!(failure.status(), 400 | 401 | 429 | 500..);
        if may_succeed_later {
            // A time-dependent rule may reject the retry of a request that succeeded. Return the stored response.
            let is_rule = matches!(failure.status(), 400 | 429) && !failure.is_temporary();
            if is_rule && self.lease.is_none() {
                return store.idempotent_response(&scope.record, self.context.now()).await;
            }
            if let Some(lease) = &self.lease {
                store.release_idempotent(&scope.record, lease).await?;
            }
            return Ok(None);
        }
        let body = serde_json::to_vec(&ErrorBody::new(failure, &self.context.installation.docs_url));
        let sealed = scope.seal(&body.map_err(Failure::internal)?, self.context.random())?;
        let answer = (failure.status(), sealed);
        let (lease, now) = (self.lease.as_deref(), self.context.now());
        match store.remember_refusal(&scope.record, &self.fingerprint, answer, lease, now).await? {
            Committed::Remembered(record) => Ok(Some(record)),
            _ => Ok(None),
        }
    }

    /// Lets the key point at the message that the change creates, in the change's own transaction. The response to a
    /// repeated request is the message's state then. `refused` is the message of an earlier request with this key that
    /// the platform refused for now.
    pub fn remember_message(&self, change: &mut Change, message: &MessageId, refused: Option<&MessageId>) {
        if let Some(scope) = &self.scope {
            change.remember_message(&scope.record, &self.fingerprint, (message, refused), self.context.now());
        }
    }

    /// Returns the message that an earlier request with this key created; `None` if it created none and its response
    /// is stored. Fails if that request had different input.
    pub fn earlier_message<'r>(&self, record: &'r ResponseRecord) -> Result<Option<&'r MessageId>, Failure> {
        self.expect_same_input(record)?;
        Ok(record.message_id.as_ref())
    }

    /// Returns the stored response of an earlier request with this key.
    pub fn replay(&self, record: &ResponseRecord) -> Response {
        let Some(scope) = &self.scope else {
            return Rejection::from(Failure::internal("a request without a key has a stored response")).into_response();
        };
        match self.stored_response(scope, record) {
            Ok((status, body)) => {
                let mut response = json(status, body);
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                response
            }
            Err(failure) => Rejection::from(failure).into_response(),
        }
    }

    fn expect_same_input(&self, record: &ResponseRecord) -> Result<(), Failure> {
        if record.fingerprint != self.fingerprint {
            let message =
                "This Idempotency-Key was already used with different input. Use a new key for a new request.";
            return Err(Failure::unprocessable(message).with_param(HEADER));
        }
        Ok(())
    }

    fn stored_response(&self, scope: &Scope, record: &ResponseRecord) -> Result<(StatusCode, Vec<u8>), Failure> {
        self.expect_same_input(record)?;
        let Some((status, sealed)) = &record.response else {
            let message = "The first request with this Idempotency-Key is still running. Retry shortly.";
            return Err(Failure::conflict(message).with_param(HEADER).with_retry_after(1));
        };
        let status = StatusCode::from_u16(*status).map_err(Failure::internal)?;
        Ok((status, scope.open(sealed)?))
    }
}

impl Scope {
    /// Derives the encryption key for this credential and request: HKDF over the bearer value, with the record's hash
    /// as info.
    fn key(&self) -> Result<LessSafeKey, Failure> {
        let salt = Salt::new(HKDF_SHA256, b"idempotent answer");
        let derived = salt.extract(self.credential.expose().as_bytes());
        let info = [self.record.hash.as_bytes()];
        let key = derived.expand(&info, &AES_256_GCM).map_err(|_| Failure::internal("key derivation failed"))?;
        Ok(LessSafeKey::new(UnboundKey::from(key)))
    }

    fn seal(&self, body: &[u8], random: &dyn Random) -> Result<Vec<u8>, Failure> {
        let nonce = random_bytes::<NONCE_LEN>(random);
        let mut sealed = body.to_vec();
        self.key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)
            .map_err(|_| Failure::internal("encrypting a response failed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, Failure> {
        let broken = || Failure::internal("decrypting a stored response failed");
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN).ok_or_else(broken)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| broken())?;
        let mut body = sealed.to_vec();
        let length = self.key()?.open_in_place(nonce, Aad::empty(), &mut body).map_err(|_| broken())?.len();
        body.truncate(length);
        Ok(body)
    }
}
