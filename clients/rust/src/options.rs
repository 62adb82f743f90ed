//! How a single request can differ from the others of a client.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::Error;

/// Longer than the gateway waits for a function.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(35);
pub(crate) const DEFAULT_RETRIES: u32 = 2;

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_retries: Option<u32>,
    pub(crate) headers: Result<HeaderMap, Error>,
}

impl Default for Options {
    fn default() -> Self {
        Options { timeout: None, max_retries: None, headers: Ok(HeaderMap::new()) }
    }
}

/// Adds a header, unless one before was invalid.
pub(crate) fn insert(headers: &mut Result<HeaderMap, Error>, name: &str, value: &str) {
    match (&mut *headers, name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
        (Ok(headers), Ok(name), Ok(value)) => {
            headers.insert(name, value);
        }
        (Err(_), ..) => {}
        (Ok(_), ..) => *headers = Err(Error::usage(format!("\"{name}\" is not a header with a valid value."))),
    }
}

/// Writes the methods that set the options of whatever has a field `options`.
macro_rules! option_methods {
    () => {
        /// The time limit of each attempt.
        pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
            self.options.timeout = Some(timeout);
            self
        }

        /// How often the request is repeated at most, where that has no second effect.
        pub fn max_retries(mut self, max_retries: u32) -> Self {
            self.options.max_retries = Some(max_retries);
            self
        }

        /// Adds a header.
        pub fn header(mut self, name: &str, value: &str) -> Self {
            crate::options::insert(&mut self.options.headers, name, value);
            self
        }
    };
}
pub(crate) use option_methods;
