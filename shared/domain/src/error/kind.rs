//! The kinds of failures.

/// The kind of a failure, whatever its code and text are. `api::status` maps it to the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is malformed, or a value in it is invalid.
    InvalidRequest,
    /// There is no valid credential.
    Unauthenticated,
    /// The credential is valid but does not permit the operation.
    Forbidden,
    /// The object does not exist, or is hidden from the caller.
    NotFound,
    /// The path has no operation with this method.
    MethodNotAllowed,
    /// The state of the object does not permit the operation.
    Conflict,
    /// The object existed, and can no longer be read.
    Gone,
    /// The body or a file exceeds a size limit.
    TooLarge,
    /// The body has a content type that the operation does not accept.
    UnsupportedMediaType,
    /// The request is well-formed, but cannot be carried out. Rejections by providers are of this kind.
    Unprocessable,
    /// A rate limit or a quota is used up.
    TooManyRequests,
    /// This service failed.
    Internal,
    /// A provider failed.
    BadGateway,
    /// A provider, or the result of work in progress, is not available at the moment.
    Unavailable,
    /// The other side did not respond in time.
    GatewayTimeout,
}

impl ErrorKind {
    /// Returns whether the fault lies with this service or a provider, not with the request.
    pub fn is_fault(self) -> bool {
        matches!(self, ErrorKind::Internal | ErrorKind::BadGateway | ErrorKind::Unavailable | ErrorKind::GatewayTimeout)
    }
}
