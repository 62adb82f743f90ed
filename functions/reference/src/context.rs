use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use runtime::{Environment, Installation};

#[derive(Clone)]
pub struct ReferenceContext {
    pub installation: Arc<Installation>,
    /// The API's own address, without a slash at its end.
    pub(crate) api_url: String,
    /// With that address; made when it is first asked for.
    pub(crate) document: Arc<OnceLock<Bytes>>,
    /// The same of the error codes.
    pub(crate) catalogue: Arc<OnceLock<Bytes>>,
}

impl ReferenceContext {
    pub fn new(installation: Arc<Installation>, api_url: &str) -> Self {
        let api_url = api_url.trim_end_matches('/').to_owned();
        ReferenceContext { installation, api_url, document: Arc::default(), catalogue: Arc::default() }
    }

    pub fn from_environment(environment: &mut Environment) -> Self {
        let api_url = environment.required("API_URL");
        Self::new(Arc::new(environment.installation()), &api_url)
    }
}
