//! Operations that need neither a credential nor storage: health, the error catalogue, the OpenAPI document, the API reference, and
//! the HTML pages, including those of onboarding links and the console. The gateway's `$default` route also invokes this function.

mod assets;
mod catalogue;
mod console;
mod context;
mod document;
mod encoded;
mod health;
mod pages;

use std::borrow::Cow;

use api::Routes;
use api::routes::Operation;

pub use console::Console;
pub use context::ReferenceContext;
pub use pages::error_codes;

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

/// Returns the routes of this function. It also receives requests to unknown paths, so it knows the operations of all
/// functions.
pub fn routes(context: ReferenceContext) -> Routes {
    let operations = OPERATIONS.iter().map(|(method, path)| Operation { method, path: Cow::Borrowed(path) });
    own_routes(context).with_operations(operations)
}

api::routes! {
    fn own_routes(ReferenceContext);
    pages::reference::find_reference,
    health::get_health,
    catalogue::list_errors,
    document::get_document,
    pages::reference::read_reference,
    pages::errors::read_errors,
    pages::markdown::read_introduction,
    pages::markdown::read_page,
    pages::markdown::list_pages,
    pages::onboarding::open_onboarding,
    pages::onboarding::open_simulated_consent,
    pages::sign_in::open_sign_in,
    pages::console::open_console,
    pages::console::get_console_file,
    assets::get_asset,
}
