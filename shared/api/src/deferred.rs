//! Input whose errors are deferred, because errors of the credential are reported first.

use axum::extract::{FromRequest, FromRequestParts, Request};
use http::request::Parts;

use crate::answer::Rejection;
use crate::body::{Input, Json};
use crate::idempotency::Once;
use crate::list::{Filter, Filters, ListBy, ListOf, ListQuery};
use crate::path::Path;

/// Input that is extracted first and whose error is reported later, by `Claim::with`. It wraps one extractor, or a
/// tuple of extractors in the order in which their errors are reported.
pub struct Deferred<T>(pub(crate) Result<T, Rejection>);

impl Deferred<()> {
    /// Returns the input of an operation that takes none.
    pub fn nothing() -> Self {
        Deferred(Ok(()))
    }
}

macro_rules! deferred_parts {
    ($(impl[$($generic:tt)*] $extractor:ty;)+) => {$(
        impl<S: Send + Sync, $($generic)*> FromRequestParts<S> for Deferred<$extractor>
        where
            $extractor: FromRequestParts<S, Rejection = Rejection>,
        {
            type Rejection = Rejection;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
                Ok(Deferred(<$extractor>::from_request_parts(parts, state).await))
            }
        }
    )+};
}

deferred_parts! {
    impl[T] Path<T>;
    impl[] Once;
    impl[] ListQuery;
    impl[F: Filter] ListOf<F>;
    impl[F: Filters] ListBy<F>;
}

impl<S, A, B> FromRequestParts<S> for Deferred<(A, B)>
where
    S: Send + Sync,
    A: FromRequestParts<S, Rejection = Rejection> + Send,
    B: FromRequestParts<S, Rejection = Rejection> + Send,
{
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
        let extracted =
            async { Ok((A::from_request_parts(parts, state).await?, B::from_request_parts(parts, state).await?)) };
        Ok(Deferred(extracted.await))
    }
}

impl<S, T> FromRequest<S> for Deferred<Json<T>>
where
    S: Send + Sync,
    T: Input,
    Json<T>: FromRequest<S, Rejection = Rejection>,
{
    type Rejection = Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
        Ok(Deferred(Json::from_request(request, state).await))
    }
}

macro_rules! with_body {
    ($($part:ident),*) => {
        impl<S, $($part,)* T> FromRequest<S> for Deferred<($($part,)* Json<T>)>
        where
            S: Send + Sync,
            $($part: FromRequestParts<S, Rejection = Rejection> + Send,)*
            T: Input,
            Json<T>: FromRequest<S, Rejection = Rejection>,
        {
            type Rejection = Rejection;

            async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
                let (mut parts, body) = request.into_parts();
                let extracted = async {
                    Ok(($($part::from_request_parts(&mut parts, state).await?,)*
                        Json::from_request(Request::from_parts(parts, body), state).await?,))
                };
                Ok(Deferred(extracted.await))
            }
        }
    };
}

with_body!(A);
with_body!(A, B);
