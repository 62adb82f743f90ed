//! The clients of the local stack, which record what was called.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use messaging_client::{Body, Client, HttpTransport, Sending, Transport};
use serde_json::Value;

pub(crate) struct Stack {
    pub(crate) admin: Client,
    pub(crate) app: Client,
    pub(crate) app_id: String,
    pub(crate) recorder: Recorder,
}

impl Stack {
    pub(crate) fn from_env() -> Stack {
        let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
        let address = variable("BASE_URL");
        let recorder = Recorder {
            http: HttpTransport::new().unwrap(),
            prefix: address.clone(),
            calls: Arc::new(Mutex::new(Vec::new())),
        };
        let client = |key: &str| recorder.client(&variable(key));
        let (admin, app) = (client("ADMIN_KEY"), client("TEST_APP_KEY"));
        Stack { admin, app, app_id: variable("TEST_APP_ID"), recorder }
    }
}

/// Sends requests, and remembers those to the service that succeeded.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    http: HttpTransport,
    prefix: String,
    calls: Arc<Mutex<Vec<(String, String)>>>,
}

impl Transport for Recorder {
    fn send(&self, request: http::Request<Body>) -> Sending<'_> {
        let method = request.method().to_string();
        let uri = request.uri().to_string();
        let path = uri.strip_prefix(&self.prefix).map(|path| path.split('?').next().unwrap_or_default().to_owned());
        Box::pin(async move {
            let response = self.http.send(request).await?;
            if let Some(path) = path.filter(|_| response.status().is_success()) {
                self.calls.lock().unwrap().push((method, path));
            }
            Ok(response)
        })
    }
}

impl Recorder {
    /// Returns a client with a key, whose requests are remembered, too.
    pub(crate) fn client(&self, key: &str) -> Client {
        Client::builder().base_url(&self.prefix).api_key(key).transport(self.clone()).build().unwrap()
    }

    /// Returns the names of the operations of a document that were not called.
    pub(crate) fn uncalled(&self, document: &Value) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        let paths = document["paths"].as_object().unwrap().iter();
        let operations = paths.flat_map(|(path, item)| {
            item.as_object().unwrap().iter().map(move |(method, operation)| (path, method.to_uppercase(), operation))
        });
        let public = operations.filter(|(_, _, operation)| operation["x-internal"] != true);
        let uncalled =
            public.filter(|(path, method, _)| !calls.iter().any(|(called, of)| called == method && is_form(path, of)));
        uncalled.map(|(_, _, operation)| operation["operationId"].to_string()).collect()
    }
}

/// Whether a path is one of a form, such as `/v1/apps/{appId}`.
fn is_form(form: &str, path: &str) -> bool {
    let (form, path): (Vec<&str>, Vec<&str>) = (form.split('/').collect(), path.split('/').collect());
    let is_segment = |(form, found): (&&str, &&str)| form.starts_with('{') || form == found;
    form.len() == path.len() && form.iter().zip(&path).all(is_segment)
}

/// Returns a number that nothing else has.
pub(crate) fn unique() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()
}

/// Waits for a condition.
pub(crate) async fn until<F: Future<Output = bool>>(title: &str, holds: impl Fn() -> F) {
    for _ in 0..120 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    panic!("not after 30 s: {title}");
}
