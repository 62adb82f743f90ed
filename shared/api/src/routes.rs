//! The routes of a function. Method and path are defined once, in the `#[utoipa::path]` annotation of the handler.

use std::borrow::Cow;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use domain::identity::scope::Scope;
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

/// What the request of an operation carries to the validation of its credential.
#[derive(Clone, Copy, Debug, Default)]
pub struct Performed {
    /// The id of the operation, as the audit log names it.
    pub action: &'static str,
    /// The scope that a key needs; `None` for operations that take no key.
    pub scope: Option<Scope>,
}

/// The scope that an operation needs.
#[derive(Clone, Debug)]
pub struct Needed {
    pub operation: Operation,
    /// The id under which entries of the audit log name the operation.
    pub action: &'static str,
    pub scope: Scope,
}

impl Needed {
    /// Whether this is an operation of a document, which has methods in lower case.
    pub fn is_of(&self, method: &str, path: &str) -> bool {
        self.operation.method.eq_ignore_ascii_case(method) && self.operation.path == path
    }

    /// Returns the operations of a handler. `_annotation` is the type that `#[utoipa::path]` generated for it.
    pub fn by<P: utoipa::Path>(_annotation: P, action: &'static str, scope: Scope) -> Vec<Needed> {
        let methods = P::methods();
        let operations =
            methods.iter().map(|method| Operation { method: method_filter(method).0, path: P::path().into() });
        operations.map(|operation| Needed { operation, action, scope }).collect()
    }
}

/// Defines a function that returns the [`Routes`] to the given handlers, `Document`, their part of the OpenAPI document, and
/// `needed_scopes`, for it. Each handler that takes a credential stands with the id of its operation, which a test compares
/// with the annotation's, and with the scope that a key needs:
///
/// ```ignore
/// api::routes! {
///     pub fn routes(ChatContext);
///     groups::http::create_group as "chat.groups.create" => GroupsWrite,
///     groups::http::get_group as "chat.groups.get" => GroupsRead,
/// }
/// ```
///
/// A path of another function that a parameter here would match stands behind the state, as `beside ["POST /v1/…/read"]`.
#[macro_export]
macro_rules! routes {
    (@path $a:ident::$handler:ident) => { $crate::paste! { $a::[<__path_ $handler>] } };
    (@path $a:ident::$b:ident::$handler:ident) => { $crate::paste! { $a::$b::[<__path_ $handler>] } };
    (@path $a:ident::$b:ident::$c:ident::$handler:ident) => { $crate::paste! { $a::$b::$c::[<__path_ $handler>] } };
    (@needed [$($segment:ident)::+]) => { Vec::<$crate::Needed>::new() };
    (@needed [$($segment:ident)::+] $action:literal) => { Vec::<$crate::Needed>::new() };
    (@needed [$($segment:ident)::+] $action:literal $scope:ident) => {
        $crate::Needed::by($crate::routes!(@path $($segment)::+), $action, $crate::Scope::$scope)
    };
    (@performed) => { $crate::Performed::default() };
    (@performed $action:literal) => { $crate::Performed { action: $action, scope: None } };
    (@performed $action:literal $scope:ident) => {
        $crate::Performed { action: $action, scope: Some($crate::Scope::$scope) }
    };
    (
        $visibility:vis fn $name:ident($state:ty) $(beside [$($beside:literal),+ $(,)?])?;
        $($($segment:ident)::+ $(as $action:literal)? $(=> $scope:ident)?),+ $(,)?
    ) => {
        $visibility fn $name(state: $state) -> $crate::Routes {
            let routes = $crate::Routes::<$state>::new();
            $(let routes = routes.add(
                $crate::routes!(@path $($segment)::+),
                $($segment)::+,
                $crate::routes!(@performed $($action)? $($scope)?),
            );)+
            $($(let routes = routes.beside($beside);)+)?
            routes.with_state(state)
        }

        /// Returns the scope that each operation needs, for the OpenAPI document.
        pub fn needed_scopes() -> Vec<$crate::Needed> {
            [$($crate::routes!(@needed [$($segment)::+] $($action)? $($scope)?)),+].concat()
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
    pub fn add<P: utoipa::Path, H: Handler<T, S>, T: 'static>(
        mut self,
        _annotation: P,
        handler: H,
        performed: Performed,
    ) -> Self {
        let path = P::path();
        let handler = Named { handler, performed };
        for method in P::methods() {
            let (method, filter) = method_filter(&method);
            self.router = self.router.route(&path, on(filter, handler.clone()));
            self.operations.push(Operation { method, path: path.clone().into() });
        }
        self
    }

    /// Adds an operation of another function, such as `POST /v1/chat/messages/read`. Without it, the gateway's route to a
    /// path with a parameter here would take `read` for an id: 400, where any other method of that path gets 405.
    #[must_use]
    pub fn beside(mut self, operation: &'static str) -> Self {
        let (method, path) = operation.split_once(' ').unwrap_or(("GET", operation));
        self.router = self.router.route(path, MethodRouter::new());
        self.operations.push(Operation { method, path: path.into() });
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

/// A handler whose request carries what it is called and needs.
#[derive(Clone)]
struct Named<H> {
    handler: H,
    performed: Performed,
}

impl<H: Handler<T, S>, T, S> Handler<T, S> for Named<H> {
    type Future = H::Future;

    fn call(self, mut request: Request, state: S) -> Self::Future {
        request.extensions_mut().insert(self.performed);
        self.handler.call(request, state)
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
