//! Reads the credential and the requested object concurrently, in one round trip, for callers that this process knows.
//! The credential's value contains the organization, so the object can be read before the credential has been
//! validated.

use std::marker::PhantomData;
use std::pin::pin;

use axum::extract::{FromRef, FromRequestParts};
use domain::Failure;
use http::request::Parts;
use runtime::Context;
use store::Reads;
use tokio::join;

use crate::answer::Rejection;
use crate::caller::{Caller, Presented, authenticate};
use crate::deferred::Deferred;

/// A well-formed credential that has not been validated yet. Extracting it does not read the table.
pub struct Claim<C> {
    presented: Presented,
    context: Context,
    caller: PhantomData<fn() -> C>,
}

impl<C: Caller> Claim<C> {
    /// Returns the SHA-256 of the credential, under which this process may remember its caller.
    pub fn credential_hash(&self) -> String {
        self.presented.bearer.secret.sha256()
    }

    /// Validates the credential and reads the object that the input names, by its full key. Errors are reported in this
    /// order: credential, input, object.
    ///
    /// The object is read concurrently with the credential only if this process has found the credential valid before.
    /// For any other credential it is read afterwards, so that a forged key causes a single read, whose cost and
    /// duration do not depend on stored objects. The same applies to a request that asks for an error, which must have
    /// no effect.
    pub async fn with<I, T, F: Future<Output = Result<T, Failure>>>(
        self,
        input: Deferred<I>,
        read: impl FnOnce(Reads, I) -> F,
    ) -> Result<(C, T), Rejection> {
        // Pinned here, so that neither future is moved into the branches below.
        let validated = pin!(authenticate(&self.context, &self.presented));
        let input = match input.0 {
            Ok(input) => input,
            Err(rejection) => {
                let _: C = validated.await?;
                return Err(rejection);
            }
        };
        let bearer = &self.presented.bearer;
        let read = pin!(read(self.context.store.reads_of(&bearer.organization), input));
        if !self.presented.asks_for_error() && self.context.proven.contains(&bearer.secret.sha256()) {
            let (caller, object) = join!(validated, read);
            Ok((caller?, object?))
        } else {
            Ok((validated.await?, read.await?))
        }
    }
}

impl<S, C> FromRequestParts<S> for Claim<C>
where
    S: Send + Sync,
    C: Caller,
    Context: FromRef<S>,
{
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
        Ok(Claim { presented: Presented::parse::<C>(parts)?, context: Context::from_ref(state), caller: PhantomData })
    }
}
