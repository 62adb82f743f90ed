//! 404 for paths that no operation has, 405 with `Allow` for methods that a path does not take. The gateway sends whatever
//! none of its routes takes to the reference function, so this knows the operations of every function.

use std::sync::LazyLock;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use domain::Failure;
use http::HeaderValue;
use http::header::ALLOW;
use matchit::Router;

use crate::answer::Rejection;
use crate::operations::OPERATIONS;

/// The methods of each path of the whole API.
static PATHS: LazyLock<Router<String>> = LazyLock::new(|| {
    let mut router = Router::new();
    for operation in OPERATIONS {
        let methods: Vec<&str> =
            OPERATIONS.iter().filter(|other| other.path == operation.path).map(|other| other.method.as_str()).collect();
        // A path with several methods is met once for each; the first entry holds them all.
        let _ = router.insert(operation.path, methods.join(", "));
    }
    router
});

pub(crate) async fn answer(request: Request) -> Response {
    // The router would take an empty segment for a parameter; the gateway does not.
    let found =
        PATHS.at(request.uri().path()).ok().filter(|found| found.params.iter().all(|(_, value)| !value.is_empty()));
    let Some(found) = found else {
        return Rejection::from(Failure::no_such_path()).into_response();
    };
    let mut response = Rejection::from(Failure::method_not_allowed()).into_response();
    if let Ok(allow) = HeaderValue::from_str(found.value) {
        response.headers_mut().insert(ALLOW, allow);
    }
    response
}
