//! Responses to requests that match no operation: 404 for an unknown path, with similar ones that exist, and 405 with `Allow`
//! for an unsupported method.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use domain::Failure;
use http::HeaderValue;
use http::header::ALLOW;
use matchit::Router;

use crate::answer::Rejection;
use crate::routes::Operation;
use crate::similar::similar;

/// Responds to requests that match no operation.
pub(crate) struct Unknown {
    operations: Vec<Operation>,
    /// The methods of each path, built when first needed.
    paths: OnceLock<Router<String>>,
}

impl Unknown {
    pub(crate) fn new(operations: Vec<Operation>) -> Self {
        Unknown { operations, paths: OnceLock::new() }
    }

    pub(crate) fn respond(&self, request: &Request) -> Response {
        // The router would accept an empty segment as a parameter, but the gateway does not.
        let path = request.uri().path();
        let matched = self.paths().at(path).ok();
        let Some(matched) = matched.filter(|matched| matched.params.iter().all(|(_, value)| !value.is_empty())) else {
            let similar = similar(&self.operations, request.method().as_str(), path);
            return Rejection::from(Failure::no_such_path(&similar)).into_response();
        };
        let failure = Failure::method_not_allowed(request.method().as_str(), matched.value);
        let mut response = Rejection::from(failure).into_response();
        if let Ok(allow) = HeaderValue::from_str(matched.value) {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }

    fn paths(&self) -> &Router<String> {
        self.paths.get_or_init(|| {
            let mut methods: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for operation in &self.operations {
                methods.entry(&operation.path).or_default().push(operation.method);
            }
            let mut router = Router::new();
            for (path, methods) in methods {
                // Cannot fail: the function's own router accepted the same paths.
                let _ = router.insert(path, methods.join(", "));
            }
            router
        })
    }
}
