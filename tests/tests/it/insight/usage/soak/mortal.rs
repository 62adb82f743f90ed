//! A process that is killed between its calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use tests::memory::Memory;
use tokio::sync::Notify;

/// The memory as a process reaches it that is killed after some calls: nothing responds any more, whether the last call was made
/// or not.
#[derive(Clone, Debug)]
pub(super) struct Mortal {
    memory: Memory,
    left: Arc<AtomicI64>,
    died: Arc<Notify>,
}

impl Mortal {
    pub(super) fn of(memory: &Memory) -> Self {
        Mortal { memory: memory.clone(), left: Arc::new(AtomicI64::new(i64::MAX)), died: Arc::default() }
    }

    /// Lets the process die with this call from now on; 0 lets it live.
    pub(super) fn dies_with(&self, call: u64) {
        let left = if call == 0 { i64::MAX } else { i64::try_from(call).unwrap() };
        self.left.store(left, Ordering::SeqCst);
    }

    /// Waits for the death of the process.
    pub(super) async fn death(&self) {
        self.died.notified().await;
    }
}

impl HttpClient for Mortal {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Mortal {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let left = self.left.fetch_sub(1, Ordering::SeqCst);
        if left > 1 {
            return self.memory.call(request);
        }
        if left == 1 {
            drop(self.memory.call(request));
        }
        self.died.notify_one();
        HttpConnectorFuture::new(std::future::pending())
    }
}
