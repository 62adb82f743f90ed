//! `Idempotency-Key`, once for every POST. The answer is written in the change's own transaction, sealed with a key derived
//! from the caller's credential; the same key and input get it again, other input is refused.

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
        Attempt { context, scope: self.scope, fingerprint, lease: None }
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
    /// Commits what `decide` makes of what was read; while a concurrent request wins, reads and decides again.
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

    /// The same for a decision that leaves something to do afterwards: the second value is there if this request made the
    /// change, and absent where an earlier one did.
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
                let (change, answer) = self.remembered(planned)?;
                Ok((change, (answer, rest)))
            }
        };
        match self.context.store.race(seen, read, remembered).await {
            Ok((committed, (answer, rest))) => {
                let rest = Some(rest).filter(|_| !matches!(committed, Committed::Remembered(_)));
                Ok((self.respond(&committed, answer), rest))
            }
            Err(failure) => Ok((self.refuse(failure).await?, None)),
        }
    }

    /// Commits a decision that rests on nothing read before.
    pub async fn finish<T: Serialize>(&self, planned: Result<Planned<T>, Failure>) -> Result<Response, Rejection> {
        let (change, answer) = match planned.and_then(|planned| self.remembered(planned)) {
            Ok(planned) => planned,
            Err(failure) => return self.refuse(failure).await,
        };
        match self.context.store.commit(&change).await {
            Ok(Committed::Stale) => {
                Err(Failure::conflict("Another request changed the same object; try again.").into())
            }
            Ok(committed) => Ok(self.respond(&committed, answer)),
            Err(failure) => self.refuse(failure).await,
        }
    }

    /// The answer, or the first one where the `Idempotency-Key` was used before.
    fn respond(&self, committed: &Committed, (status, body): (StatusCode, Vec<u8>)) -> Response {
        match (committed, &self.scope) {
            (Committed::Remembered(record), Some(scope)) => self.replay(scope, record),
            _ => json(status, body),
        }
    }

    /// The change with the record of its answer.
    fn remembered<T: Serialize>(&self, planned: Planned<T>) -> Result<(Change, (StatusCode, Vec<u8>)), Failure> {
        let Planned { mut change, answer } = planned;
        let body = serde_json::to_vec(&answer.body).map_err(Failure::internal)?;
        if let Some(scope) = &self.scope {
            let sealed = scope.seal(&body, self.context.random())?;
            let (lease, now) = (self.lease.as_deref(), self.context.now());
            change.remember(&scope.record, &self.fingerprint, (answer.status.as_u16(), sealed), lease, now);
        }
        Ok((change, (answer.status, body)))
    }

    /// A final refusal is remembered like an answer; one that may pass at the next try frees the key.
    async fn refuse(&self, failure: Failure) -> Result<Response, Rejection> {
        let Some(scope) = &self.scope else { return Err(failure.into()) };
        let store = &self.context.store;
        let may_pass = failure.retry_after().is_some() || matches!(failure.status(), 400 | 401 | 429 | 500..);
        if may_pass {
            // A rule that depends on the time may refuse what was done when it was sent first.
            if failure.status() == 400
                && self.lease.is_none()
                && let Some(record) = store.idempotent_answer(&scope.record, self.context.now()).await?
            {
                return Ok(self.replay(scope, &record));
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
            Committed::Remembered(record) => Ok(self.replay(scope, &record)),
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
