//! A request, the same in each attempt.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};

use crate::content::{Content, Report};
use crate::options::Options;
use crate::transport::Body;

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    /// Whether a second execution has no second effect.
    pub(crate) is_safe: bool,
    /// Whether it goes to storage, which needs no credential.
    pub(crate) is_for_storage: bool,
    pub(crate) payload: Payload,
    pub(crate) options: Options,
}

/// What a body is made from, anew for each attempt.
pub(crate) enum Payload {
    Bytes(Bytes),
    File { content: Arc<Content>, head: Bytes, tail: Bytes, report: Report },
}

impl Payload {
    pub(crate) fn body(&self) -> Body {
        match self {
            Payload::Bytes(bytes) => Body::whole(bytes.clone()),
            Payload::File { content, head, tail, report } => {
                Body::streamed(content.stream(head.clone(), tail.clone(), report.clone()))
            }
        }
    }
}

impl std::fmt::Debug for Payload {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Payload::Bytes(bytes) => write!(formatter, "{} bytes", bytes.len()),
            Payload::File { content, .. } => content.fmt(formatter),
        }
    }
}
