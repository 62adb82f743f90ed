//! What all requests of a client share.

use std::fmt;
use std::time::Duration;

use http::HeaderValue;

use crate::transport::Transport;

pub(crate) struct Connection {
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) user_agent: HeaderValue,
    pub(crate) transport: Transport,
    pub(crate) time_limit: Duration,
}

/// Shows the address only.
impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Connection({})", self.base_url)
    }
}
