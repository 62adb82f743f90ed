//! Reads the credential and the requested object concurrently, in one round trip. The credential's value contains the
//! organization, so the object can be read before the credential has been validated.

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts};
use domain::Failure;
use domain::credential::Bearer;
use http::request::Parts;
use runtime::Context;
use store::Reads;
use tokio::join;

use crate::answer::Rejection;
use crate::caller::{Caller, authenticate, parse_credential};
use crate::deferred::Deferred;

/// A well-formed credential that has not been validated yet. Extracting it does not read the table.
pub struct Claim<C> {
    bearer: Bearer,
    context: Context,
    caller: PhantomData<fn() -> C>,
}

impl<C: Caller> Claim<C> {
    /// Validates the credential and concurrently reads the object that the input names. Errors are reported in this
    /// order: credential, input, object. Without a valid credential the caller learns nothing about the object, not
    /// even whether it exists.
    pub async fn with<I, T, F: Future<Output = Result<T, Failure>>>(
        self,
        input: Deferred<I>,
        read: impl FnOnce(Reads, I) -> F,
    ) -> Result<(C, T), Rejection> {
        let input = match input.0 {
            Ok(input) => input,
            Err(rejection) => {
                let _: C = authenticate(&self.context, &self.bearer).await?;
                return Err(rejection);
            }
        };
        let reads = self.context.store.reads_of(&self.bearer.organization);
        let (caller, object) = join!(authenticate(&self.context, &self.bearer), read(reads, input));
        Ok((caller?, object?))
    }
}

impl<S, C> FromRequestParts<S> for Claim<C>
where
    S: Send + Sync,
    Context: FromRef<S>,
{
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
        Ok(Claim { bearer: parse_credential(parts)?, context: Context::from_ref(state), caller: PhantomData })
    }
}
