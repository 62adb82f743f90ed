//! Requests to the APIs.

use std::sync::atomic::Ordering;

use api::HttpService;
use http::Method;
use serde_json::Value;

use super::{Organization, World};
use crate::request::{Call, Reply};
use crate::standin::{APP_SECRET, signature};
use crate::{contract, privileges};

/// A service under test, with one organization: the functions in this process, or a deployed stack.
pub trait Service {
    fn org(&self) -> &Organization;
    fn send(&self, call: Call) -> impl Future<Output = Reply> + Send;

    /// Sends a request with the organization's admin key.
    fn admin(&self, call: Call) -> impl Future<Output = Reply> + Send {
        self.send(call.key(&self.org().admin))
    }
}

impl Service for World {
    fn org(&self) -> &Organization {
        &self.org
    }

    async fn send(&self, call: Call) -> Reply {
        // Boxed, because a debug build would put the futures of a whole request on the test's stack, several times.
        Box::pin(self.answer(call)).await
    }
}

impl World {
    /// A function of the path.
    pub fn api(&self, path: &str) -> &HttpService {
        let methods = [Method::POST, Method::GET, Method::PUT, Method::PATCH, Method::DELETE];
        let found = methods.iter().find_map(|method| self.paths.get(method)?.at(path).ok());
        self.service(found.map_or("reference", |found| *found.value))
    }

    /// The function to which the gateway routes a request: `reference` if there is no route.
    pub fn api_of(&self, method: &Method, path: &str) -> &HttpService {
        self.service(self.function(method, path))
    }

    fn function(&self, method: &Method, path: &str) -> &'static str {
        let found = self.paths.get(method).and_then(|paths| paths.at(path).ok());
        found.map_or("reference", |found| *found.value)
    }

    fn service(&self, function: &str) -> &HttpService {
        &self.services.iter().find(|(name, _)| *name == function).unwrap().1
    }

    async fn answer(&self, call: Call) -> Reply {
        let reply = self.send_undocumented(call.clone()).await;
        contract::check(&call, &reply);
        reply
    }

    /// Sends a request while no worker runs, so that nothing but the request itself is measured.
    pub async fn send_without_worker(&self, call: Call) -> Reply {
        let was_working = self.is_working.swap(true, Ordering::SeqCst);
        let reply = self.send(call).await;
        self.is_working.store(was_working, Ordering::SeqCst);
        reply
    }

    /// Sends a request without validating the response, because the document describes only this version.
    pub async fn send_undocumented(&self, call: Call) -> Reply {
        let request = call.request();
        let path = request.uri().path().to_owned();
        let function = self.function(request.method(), &path);
        // Boxed, or the stack of a test's thread is too small for all futures of the services that the test calls.
        let answer = Box::pin(self.service(function).respond(request));

        // A deployed worker runs by itself; here it runs while the request is in progress.
        let response = if path.ends_with("/sync") && !self.is_working.load(Ordering::SeqCst) {
            tokio::select! {
                response = answer => response,
                () = Box::pin(self.keep_working()) => unreachable!(),
            }
        } else {
            answer.await
        };

        let reply = Reply::of(response).await;
        privileges::note_presigned(function, &reply);
        reply
    }

    /// Sends a notification with the platform's signature.
    pub async fn notify(&self, notification: &Value) -> Reply {
        let body = notification.to_string().into_bytes();
        let signature = signature(APP_SECRET, &body);
        self.send(Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signature).bytes(body)).await
    }
}
