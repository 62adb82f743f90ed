//! SQS and DynamoDB, as the SDK calls them.

use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;
use tests::memory::Memory;

use super::queue::State;

/// A handle; clones share the same state.
#[derive(Clone, Default)]
pub(super) struct Cloud {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) memory: Memory,
}

impl std::fmt::Debug for Cloud {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cloud")
    }
}

impl HttpClient for Cloud {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Cloud {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
        let Some(operation) = target.strip_prefix("AmazonSQS.") else {
            // The SDK does not retry after this error: the pauses between retries would take real time.
            let is_down = self.state.lock().unwrap().is_table_down;
            let down = || HttpConnectorFuture::ready(Err(ConnectorError::other("the table is down".into(), None)));
            return if is_down { down() } else { self.memory.call(request) };
        };

        let call: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        let body = self.state.lock().unwrap().perform(operation, &call).to_string();
        let mut response = HttpResponse::new(200.try_into().unwrap(), SdkBody::from(body));
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        HttpConnectorFuture::ready(Ok(response))
    }
}
