//! Commits the change of a request together with the record of its response.

use axum::response::Response;
use domain::identity::credential::hex;
use domain::message::MessageId;
use domain::{ErrorKind, Failure};
use ring::digest::{SHA256, digest};
use serde::Serialize;
use store::{Budget, Change, Committed, ResponseRecord, SealedResponse};

use super::{Attempt, JsonResponse, Planned, changed_meanwhile};
use crate::answer::{Rejection, json};
use crate::error_body::ErrorBody;
use crate::status;

const DAY_SECONDS: i64 = 24 * 3600;

impl Attempt<'_> {
    /// Returns a text that identifies the request and its input; `None` without an `Idempotency-Key`. A key can be used
    /// again after 24 hours, so the identity differs between days (UTC).
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
                let (change, response) = self.with_record(planned)?;
                Ok((change, (response, rest)))
            }
        };

        match self.context.store.settle_within(Budget::of_request(), seen, read, remembered).await {
            Ok((committed, (response, rest))) => {
                let rest = Some(rest).filter(|_| !matches!(committed, Committed::Remembered(_)));
                Ok((self.respond(&committed, response), rest))
            }
            Err(failure) => Ok((self.refuse(failure).await?, None)),
        }
    }

    /// Commits a change that does not depend on earlier reads.
    pub async fn finish<T: Serialize>(&self, planned: Result<Planned<T>, Failure>) -> Result<Response, Rejection> {
        let (change, response) = match planned.and_then(|planned| self.with_record(planned)) {
            Ok(planned) => planned,
            Err(failure) => return self.refuse(failure).await,
        };
        match self.context.store.commit(&change).await {
            Ok(Committed::Stale) => Err(changed_meanwhile().into()),
            Ok(committed) => Ok(self.respond(&committed, response)),
            Err(failure) => self.refuse(failure).await,
        }
    }

    /// Returns the response, or the stored one if the `Idempotency-Key` was used before.
    fn respond(&self, committed: &Committed, response: JsonResponse) -> Response {
        match (committed, &self.scope) {
            (Committed::Remembered(record), Some(_)) => self.replay(record),
            _ => json(response.status, response.body),
        }
    }

    /// Adds the record of the response to the change.
    fn with_record<T: Serialize>(&self, planned: Planned<T>) -> Result<(Change, JsonResponse), Failure> {
        let Planned { mut change, answer } = planned;
        let body = serde_json::to_vec(&answer.body).map_err(Failure::internal)?;
        if let Some(scope) = &self.scope {
            let sealed = scope.seal(&body, self.context.random())?;
            let sealed = SealedResponse { status: answer.status.as_u16(), body: sealed };
            let (lease, now) = (self.lease.as_deref(), self.context.now());
            change.remember(&scope.record, &self.fingerprint, sealed, lease, now);
        }
        Ok((change, JsonResponse { status: answer.status, body }))
    }

    /// Stores a failure, so that a retry gets the same response. A failure after which the same request can succeed is
    /// not stored and releases the key, so that a retry runs again.
    async fn refuse(&self, failure: Failure) -> Result<Response, Rejection> {
        match self.note_refusal(&failure).await? {
            Some(record) => Ok(self.replay(&record)),
            None => Err(failure.into()),
        }
    }

    /// Stores a failure like `refuse`, and returns the record of an earlier request with this key, if there is one. The
    /// record then determines the response, not the failure.
    pub async fn note_refusal(&self, failure: &Failure) -> Result<Option<ResponseRecord>, Failure> {
        let Some(scope) = &self.scope else { return Ok(None) };
        let store = &self.context.store;

        if may_succeed_later(failure) {
            // A time-dependent rule can reject the retry of a request that succeeded. Return the stored response.
            let is_rule = matches!(failure.kind(), ErrorKind::InvalidRequest | ErrorKind::TooManyRequests)
                && !failure.is_temporary();
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
        let sealed = SealedResponse { status: status::of(failure.kind()).as_u16(), body: sealed };
        let (lease, now) = (self.lease.as_deref(), self.context.now());
        match store.remember_refusal(&scope.record, &self.fingerprint, sealed, lease, now).await? {
            Committed::Remembered(record) => Ok(Some(record)),
            _ => Ok(None),
        }
    }

    /// Lets the key point at the message that the change creates, in the change's own transaction. The response to a
    /// repeated request is then the message's current state. `refused` is the message of an earlier request with this
    /// key that the platform refused temporarily.
    pub fn remember_message(&self, change: &mut Change, message: &MessageId, refused: Option<&MessageId>) {
        if let Some(scope) = &self.scope {
            change.remember_message(&scope.record, &self.fingerprint, message, refused, self.context.now());
        }
    }
}

/// Returns whether the same request can succeed after this failure.
fn may_succeed_later(failure: &Failure) -> bool {
    let kind = failure.kind();
    let is_refused_for_now =
        matches!(kind, ErrorKind::InvalidRequest | ErrorKind::Unauthenticated | ErrorKind::TooManyRequests);
    failure.retry_after().is_some() || kind.is_fault() || is_refused_for_now
}
