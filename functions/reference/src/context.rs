use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use runtime::{Environment, Installation};

/// The state of this function's operations.
#[derive(Clone)]
pub struct ReferenceContext {
    pub installation: Arc<Installation>,
    /// The base URL of this API, without a trailing slash.
    pub(crate) api_url: String,
    /// The OpenAPI document with that URL, created by the first request for it.
    pub(crate) document: Arc<OnceLock<Bytes>>,
    /// The catalogue of error codes, created by the first request for it.
    pub(crate) catalogue: Arc<OnceLock<Bytes>>,
}

impl ReferenceContext {
    /// Returns the state for the API at `api_url`.
    pub fn new(installation: Arc<Installation>, api_url: &str) -> Self {
        let api_url = api_url.trim_end_matches('/').to_owned();
        ReferenceContext { installation, api_url, document: Arc::default(), catalogue: Arc::default() }
    }

    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Self {
        let api_url = environment.required("API_URL");
        Self::new(Arc::new(environment.installation()), &api_url)
    }
}
