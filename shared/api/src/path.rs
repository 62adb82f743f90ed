//! Path parameters as typed ids. They are validated against their pattern as sent, without percent-decoding.

use axum::extract::{FromRequestParts, MatchedPath};
use domain::Failure;
use domain::id::Identifier;
use http::request::Parts;
use runtime::logging;

use crate::answer::Rejection;

/// The ids in the path, from left to right: `Path((app, webhook)): Path<(AppId, WebhookId)>`.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// The names and raw values of the path parameters.
type Segments<'a> = Vec<(&'a str, &'a str)>;

/// A type that can be parsed from path parameters.
pub trait FromSegments: Sized {
    fn from_segments(segments: &Segments<'_>) -> Result<Self, Failure>;
}

fn identifier<T: Identifier>(segments: &Segments<'_>, index: usize) -> Result<T, Failure> {
    let (name, value) =
        segments.get(index).ok_or_else(|| Failure::internal("the route has fewer parameters than its handler"))?;
    T::in_param(value, name)
}

impl<A: Identifier> FromSegments for (A,) {
    fn from_segments(segments: &Segments<'_>) -> Result<Self, Failure> {
        Ok((identifier(segments, 0)?,))
    }
}

impl<A: Identifier, B: Identifier> FromSegments for (A, B) {
    fn from_segments(segments: &Segments<'_>) -> Result<Self, Failure> {
        Ok((identifier(segments, 0)?, identifier(segments, 1)?))
    }
}

impl<A: Identifier, B: Identifier, C: Identifier> FromSegments for (A, B, C) {
    fn from_segments(segments: &Segments<'_>) -> Result<Self, Failure> {
        Ok((identifier(segments, 0)?, identifier(segments, 1)?, identifier(segments, 2)?))
    }
}

/// A parameter that is not validated against a pattern. An unknown value is a 404, not a 400.
pub struct Opaque(pub String);

impl FromSegments for Opaque {
    fn from_segments(segments: &Segments<'_>) -> Result<Self, Failure> {
        let (_, value) = segments.first().ok_or_else(|| Failure::internal("the route has no parameter"))?;
        Ok(Opaque((*value).to_owned()))
    }
}

impl<S: Send + Sync, T: FromSegments> FromRequestParts<S> for Path<T> {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let matched = parts.extensions.get::<MatchedPath>().ok_or_else(|| Failure::internal("no route was matched"))?;
        let segments = matched.as_str().split('/').zip(parts.uri.path().split('/'));
        let parameters: Segments<'_> = segments
            .filter_map(|(pattern, value)| Some((pattern.strip_prefix('{')?.strip_suffix('}')?, value)))
            .collect();
        let path = T::from_segments(&parameters)?;
        let app = parameters.iter().find(|(name, _)| *name == "appId").and_then(|(_, value)| value.parse().ok());
        app.iter().for_each(logging::known_app);
        Ok(Path(path))
    }
}
