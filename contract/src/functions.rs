//! All operations, each with the function that serves it.

use std::sync::LazyLock;

use api::Needed;
use http::Method;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;

/// An operation and the function to which the gateway routes it.
#[derive(Clone, Debug)]
pub struct Route {
    pub function: &'static str,
    pub method: Method,
    pub path: String,
}

/// The routes of all operations.
pub static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let mut routes = Vec::new();
    for (function, document) in documents() {
        for (path, item) in document.paths.paths {
            let methods = [
                (Method::GET, item.get),
                (Method::POST, item.post),
                (Method::PUT, item.put),
                (Method::PATCH, item.patch),
                (Method::DELETE, item.delete),
            ];
            let methods = methods.into_iter().filter(|(_, operation)| operation.is_some());
            routes.extend(methods.map(|(method, _)| Route { function, method, path: path.clone() }));
        }
    }
    routes
});

/// The scope that each operation needs that takes a key.
pub fn needed_scopes() -> Vec<Needed> {
    [
        organization::needed_scopes(),
        people::needed_scopes(),
        insight::needed_scopes(),
        apps::needed_scopes(),
        chat::needed_scopes(),
        sending::needed_scopes(),
        media::needed_scopes(),
        playground::needed_scopes(),
    ]
    .concat()
}

/// The document of each function, made from its annotations.
pub(crate) fn documents() -> [(&'static str, OpenApi); 10] {
    [
        ("organization", organization::Document::openapi()),
        ("people", people::Document::openapi()),
        ("insight", insight::Document::openapi()),
        ("apps", apps::Document::openapi()),
        ("chat", chat::Document::openapi()),
        ("sending", sending::Document::openapi()),
        ("notifications", notifications::Document::openapi()),
        ("media", media::Document::openapi()),
        ("playground", playground::Document::openapi()),
        ("reference", reference::Document::openapi()),
    ]
}
