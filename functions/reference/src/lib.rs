//! What needs no credential and no storage: health, the error catalogue, the OpenAPI document and the pages. The gateway's
//! `$default` route ends here too.

mod assets;
mod catalogue;
mod document;
mod health;
mod pages;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use api::Routes;
use api::routes::Operation;
use bytes::Bytes;
use runtime::{Environment, Installation};

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

#[derive(Clone)]
pub struct ReferenceContext {
    pub installation: Arc<Installation>,
    /// The API's own address, without a slash at its end.
    api_url: String,
    /// With that address; made when it is first asked for.
    document: Arc<OnceLock<Bytes>>,
    /// The same of the error codes.
    catalogue: Arc<OnceLock<Bytes>>,
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

/// The routes of this function. It gets the requests to unknown paths too, so it knows the operations of every function.
pub fn routes(context: ReferenceContext) -> Routes {
    let operations = OPERATIONS.iter().map(|(method, path)| Operation { method, path: Cow::Borrowed(path) });
    own_routes(context).knowing(operations)
}

api::routes! {
    fn own_routes(ReferenceContext);
    pages::reference::find_reference,
    health::get_health,
    catalogue::list_errors,
    document::get_document,
    pages::reference::read_reference,
    pages::errors::read_errors,
    assets::get_asset,
}
