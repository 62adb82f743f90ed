//! What needs no credential and no storage: health, the error catalogue, the OpenAPI document and the pages. The gateway's
//! `$default` route ends here too.

mod assets;
mod catalogue;
mod context;
mod document;
mod health;
mod pages;

use std::borrow::Cow;

use api::Routes;
use api::routes::Operation;

pub use context::ReferenceContext;

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

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
