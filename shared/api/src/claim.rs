//! Credential and object in one round trip. Who calls is proven by a read of the table; the organization stands in the
//! credential's value before that, so the object can be read beside it.

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts};
use domain::Failure;
use domain::credential::Bearer;
use http::request::Parts;
use runtime::Context;
use store::Reads;
use tokio::join;

use crate::answer::Rejection;
use crate::caller::{Caller, claimed, prove};
use crate::deferred::Deferred;

/// A credential of the right form, which nothing is known of yet. Extracting it reads nothing and decides nothing.
pub struct Claim<C> {
    bearer: Bearer,
    context: Context,
    proves: PhantomData<fn() -> C>,
}

impl<C: Caller> Claim<C> {
    /// Proves the caller and reads what the input names, at once. The order of errors stays: the credential's, the
    /// input's, the object's. What was read is given out with the proof only, and not told from what is not there
    /// without it.
    pub async fn with<I, T, F: Future<Output = Result<T, Failure>>>(
        self,
        input: Deferred<I>,
        read: impl FnOnce(Reads, I) -> F,
    ) -> Result<(C, T), Rejection> {
        let input = match input.0 {
            Ok(input) => input,
            Err(rejection) => {
                let _: C = prove(&self.context, &self.bearer).await?;
                return Err(rejection);
            }
        };
        let reads = self.context.store.reads_of(&self.bearer.organization);
        let (caller, found) = join!(prove(&self.context, &self.bearer), read(reads, input));
        Ok((caller?, found?))
    }
}

impl<S, C> FromRequestParts<S> for Claim<C>
where
    S: Send + Sync,
    Context: FromRef<S>,
{
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
        Ok(Claim { bearer: claimed(parts)?, context: Context::from_ref(state), proves: PhantomData })
    }
}
