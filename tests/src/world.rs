//! An installation in the test's process: all routers, finished as in the functions, over an account of its own, and one
//! organization with its keys and apps.

use std::sync::Arc;

use api::context::{Context, Installation};
use api::operations::OPERATIONS;
use axum::Router;
use bucket::Bucket;
use domain::Timestamp;
use domain::port::Clock;
use domain::webhook::AddressPolicy;
use http_body_util::BodyExt as _;
use media::MediaContext;
use operator::{Operator, Request};
use serde_json::{Value, json};
use store::Store;
use tower::ServiceExt as _;

use crate::clock::TestClock;
use crate::emulator::{Account, TABLE};
use crate::faults::Faults;
use crate::request::{Call, Reply, text};

pub const DOCS_URL: &str = "https://docs.example.com";

pub struct World {
    pub account: Account,
    pub faults: Faults,
    pub clock: Arc<TestClock>,
    pub operator: Operator,
    pub org: Organization,
    functions: Vec<(&'static str, Router)>,
    paths: matchit::Router<&'static str>,
}

/// An organization with a live and a test app, and every kind of credential.
#[derive(Clone, Debug)]
pub struct Organization {
    pub id: String,
    pub admin: String,
    pub test_admin: String,
    pub session: String,
    pub app: String,
    pub app_key: String,
    pub test_app: String,
    pub test_app_key: String,
}

/// Something that answers calls of one organization: the routers in this process, or a deployed stack.
pub trait Service {
    fn org(&self) -> &Organization;
    fn send(&self, call: Call) -> impl Future<Output = Reply> + Send;

    /// Sends as the organization's admin.
    fn admin(&self, call: Call) -> impl Future<Output = Reply> + Send {
        self.send(call.key(&self.org().admin))
    }
}

impl Service for World {
    fn org(&self) -> &Organization {
        &self.org
    }

    async fn send(&self, call: Call) -> Reply {
        self.answer(call).await
    }
}

struct SharedClock(Arc<TestClock>);

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
}

impl World {
    pub async fn new() -> World {
        let faults = Faults::default();
        let account = Account::open(&faults).await;
        let clock = Arc::new(TestClock::default());
        let installation = Installation {
            docs_url: DOCS_URL.to_owned(),
            webhook_addresses: AddressPolicy { own: vec![("api.example.com".to_owned(), None)], allow_local: false },
        };
        let store = Store::new(account.connection.dynamodb(), TABLE);
        let mut context = Context::new(store.clone(), installation);
        context.clock = Arc::new(SharedClock(clock.clone()));
        let bucket = Bucket::new(&account.connection, account.bucket.clone());
        let functions = [
            ("organization", organization::routes(context.clone())),
            ("apps", apps::routes(context.clone())),
            ("media", media::routes(MediaContext { context: context.clone(), bucket })),
            ("playground", playground::routes(context.clone())),
            ("docs", docs::routes(context.installation.clone())),
        ];
        let finish = |(name, router)| (name, api::router::finish(router, context.installation.clone()));
        let functions = functions.into_iter().map(finish).collect();
        let mut paths = matchit::Router::new();
        for operation in OPERATIONS {
            let _ = paths.insert(operation.path, operation.function);
        }
        let operator = Operator::with_clock(store, Box::new(SharedClock(clock.clone())));
        let org = Organization::nobody();
        let mut world = World { account, faults, clock, operator, org, functions, paths };
        world.org = world.organization("Acme").await;
        world
    }

    pub async fn operate(&self, request: Value) -> Result<Value, String> {
        let request: Request = serde_json::from_value(request).map_err(|error| error.to_string())?;
        let reply = self.operator.perform(request).await.map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(reply).unwrap())
    }

    /// Another organization of the same installation.
    pub async fn organization(&self, name: &str) -> Organization {
        let made = self.operate(json!({"operation": "createOrganization", "name": name})).await.unwrap();
        let admin = text(&made, "adminKey");
        let (app, app_key) = self.app(&admin, &json!({"name": "Live"})).await;
        let (test_app, test_app_key) = self.app(&admin, &json!({"name": "Test", "test": true})).await;
        Organization {
            id: text(&made, "organizationId"),
            test_admin: text(&made, "testAdminKey"),
            session: text(&made, "sessionToken"),
            admin,
            app,
            app_key,
            test_app,
            test_app_key,
        }
    }

    /// A new app and a key of it.
    pub async fn app(&self, admin: &str, body: &Value) -> (String, String) {
        let app = text(&self.send(Call::post("/v1/organization/apps").key(admin).json(body)).await.expect(201), "id");
        let key = self.send(Call::post(format!("/v1/organization/apps/{app}/keys")).key(admin)).await.expect(201);
        (app, text(&key, "key"))
    }

    /// The router that the gateway would choose.
    pub fn router(&self, path: &str) -> Router {
        let function = self.paths.at(path).map_or("docs", |found| *found.value);
        self.functions.iter().find(|(name, _)| *name == function).unwrap().1.clone()
    }

    async fn answer(&self, call: Call) -> Reply {
        let request = call.request();
        let router = self.router(request.uri().path());
        let response = router.oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        for (name, value) in [("cache-control", "no-store"), ("content-type", "application/json")] {
            assert_eq!(parts.headers[name], value, "{call:?}");
        }
        assert!(parts.headers.contains_key("x-request-id"), "{call:?}");
        Reply { status: parts.status, headers: parts.headers, text }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl Organization {
    fn nobody() -> Self {
        let empty = String::new;
        Organization {
            id: empty(),
            admin: empty(),
            test_admin: empty(),
            session: empty(),
            app: empty(),
            app_key: empty(),
            test_app: empty(),
            test_app_key: empty(),
        }
    }
}
