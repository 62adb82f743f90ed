//! The routes of a function. Method and path are defined once, in the `#[utoipa::path]` annotation of the handler.

use std::borrow::Cow;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use utoipa::openapi::path::HttpMethod;

/// A router, and the operations that determine whether an unmatched request gets a 404 or a 405.
pub struct Routes<S = ()> {
    pub(crate) router: Router<S>,
    pub(crate) operations: Vec<Operation>,
}

/// The method and the path of an operation.
#[derive(Clone, Debug)]
pub struct Operation {
    pub method: &'static str,
    pub path: Cow<'static, str>,
}

/// Defines a function that returns the [`Routes`] to the given handlers, and `Document`, their part of the OpenAPI
/// document:
///
/// ```ignore
/// api::routes! {
///     pub fn routes(ChatContext);
///     groups::http::create_group,
///     groups::http::get_group,
/// }
/// ```
#[macro_export]
macro_rules! routes {
    (@add $routes:ident, $a:ident::$handler:ident) => {
        $crate::paste! { $routes.add($a::[<__path_ $handler>], $a::$handler) }
    };
    (@add $routes:ident, $a:ident::$b:ident::$handler:ident) => {
        $crate::paste! { $routes.add($a::$b::[<__path_ $handler>], $a::$b::$handler) }
    };
    (@add $routes:ident, $a:ident::$b:ident::$c:ident::$handler:ident) => {
        $crate::paste! { $routes.add($a::$b::$c::[<__path_ $handler>], $a::$b::$c::$handler) }
    };
    ($visibility:vis fn $name:ident($state:ty); $($($segment:ident)::+),+ $(,)?) => {
        $visibility fn $name(state: $state) -> $crate::Routes {
            let routes = $crate::Routes::<$state>::new();
            $(let routes = $crate::routes!(@add routes, $($segment)::+);)+
            routes.with_state(state)
        }

        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($segment)::+),+))]
        pub struct Document;
    };
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    #[expect(clippy::new_without_default, reason = "a list of handlers follows")]
    /// Returns routes without any operation.
    pub fn new() -> Self {
        Routes { router: Router::new(), operations: Vec::new() }
    }

    /// Adds a handler. `_annotation` is the type that `#[utoipa::path]` generated for it.
    #[must_use]
    pub fn add<P: utoipa::Path, H: Handler<T, S>, T: 'static>(mut self, _annotation: P, handler: H) -> Self {
        let path = P::path();
        for method in P::methods() {
            let (method, filter) = method_filter(&method);
            self.router = self.router.route(&path, on(filter, handler.clone()));
            self.operations.push(Operation { method, path: path.clone().into() });
        }
        self
    }

    /// Supplies the state that the handlers extract.
    pub fn with_state(self, state: S) -> Routes {
        Routes { router: self.router.with_state(state), operations: self.operations }
    }
}

impl Routes {
    /// Replaces the operations that decide between 404 and 405. Used by the function that receives all unmatched
    /// requests.
    #[must_use]
    pub fn with_operations(self, operations: impl IntoIterator<Item = Operation>) -> Self {
        Routes { operations: operations.into_iter().collect(), ..self }
    }
}

/// A router without annotations, as tests use it.
impl From<Router> for Routes {
    fn from(router: Router) -> Self {
        Routes { router, operations: Vec::new() }
    }
}

fn method_filter(method: &HttpMethod) -> (&'static str, MethodFilter) {
    match method {
        HttpMethod::Get => ("GET", MethodFilter::GET),
        HttpMethod::Post => ("POST", MethodFilter::POST),
        HttpMethod::Put => ("PUT", MethodFilter::PUT),
        HttpMethod::Patch => ("PATCH", MethodFilter::PATCH),
        HttpMethod::Delete => ("DELETE", MethodFilter::DELETE),
        HttpMethod::Options => ("OPTIONS", MethodFilter::OPTIONS),
        HttpMethod::Head => ("HEAD", MethodFilter::HEAD),
        HttpMethod::Trace => ("TRACE", MethodFilter::TRACE),
    }
}
