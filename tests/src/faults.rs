//! Faults between the service and AWS, injected into the SDK's HTTP client.

use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;

use crate::meter::Meter;
use crate::{needs, privileges};

/// How the table fails in an outage.
#[derive(Clone, Copy, Debug)]
pub enum Outage {
    Throttling,
    Failing,
    Silent,
}

#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// Every call of DynamoDB fails; other services work.
    TableDown(Outage),
    /// Every call, of every service, fails with DynamoDB's throttling error.
    Throttled,
    /// Every transaction is cancelled because of a conflict.
    Conflicting,
    /// Every call times out.
    TimedOut,
    /// Every call times out, except those of DynamoDB: the bucket's, the queues' and Secrets Manager's.
    BucketSilent,
    /// A put or a transaction succeeds, but its response is lost; once.
    AnswerLost,
    /// A single update succeeds, but its response is lost; once.
    UpdateAnswerLost,
    /// A single update conflicts with a running transaction; once.
    WriteConflicts,
    /// The queue rejects every entry of a batch, though the call succeeds; once.
    QueueTakesNothing,
    /// After this many more calls, no call gets a response, as if the process had died.
    StoppedAfter(u32),
    /// After this many more calls, one call fails, with all its retries.
    FailsAfter(u32),
    /// This many more calls fail: the retries of a call that has failed.
    Failing(u32),
}

/// How often the SDK tries a call.
const SDK_TRIES: u32 = 3;

#[derive(Clone, Debug, Default)]
pub struct Faults {
    fault: Arc<Mutex<Option<Fault>>>,
    struck: Arc<watch::Sender<bool>>,
    calls: Arc<Mutex<Vec<String>>>,
    pub meter: Meter,
}

impl Faults {
    pub fn set(&self, fault: Fault) {
        self.struck.send_replace(false);
        *self.fault.lock().unwrap() = Some(fault);
    }

    pub fn clear(&self) {
        *self.fault.lock().unwrap() = None;
    }

    /// Returns whether a fault is still to be injected.
    pub fn is_set(&self) -> bool {
        self.fault.lock().unwrap().is_some()
    }

    /// Returns the names of the AWS calls since the last call of this method.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// Waits until the `Fault::StoppedAfter` that was set last takes effect.
    pub async fn struck(&self) {
        self.struck.subscribe().wait_for(|&struck| struck).await.ok();
    }

    pub fn client(&self, caller: &'static str, inner: SharedHttpClient) -> SharedHttpClient {
        SharedHttpClient::new(FaultyClient { caller, inner, faults: self.clone() })
    }

    /// The fault to inject into this request.
    fn on(&self, request: &HttpRequest) -> Option<Fault> {
        let mut fault = self.fault.lock().unwrap();
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        self.calls.lock().unwrap().push(target.rsplit('.').next().unwrap_or_default().to_owned());
        match *fault {
            Some(Fault::StoppedAfter(0)) => {
                self.struck.send_replace(true);
                Some(Fault::StoppedAfter(0))
            }
            Some(Fault::StoppedAfter(left)) => {
                *fault = Some(Fault::StoppedAfter(left - 1));
                None
            }
            Some(Fault::FailsAfter(0)) => {
                *fault = Some(Fault::Failing(SDK_TRIES - 1));
                Some(Fault::FailsAfter(0))
            }
            Some(Fault::FailsAfter(left)) => {
                *fault = Some(Fault::FailsAfter(left - 1));
                None
            }
            Some(Fault::Failing(left)) => {
                *fault = (left > 1).then(|| Fault::Failing(left - 1));
                Some(Fault::Failing(left))
            }
            Some(Fault::QueueTakesNothing) if !target.ends_with("SendMessageBatch") => None,
            Some(Fault::QueueTakesNothing) => fault.take(),
            Some(Fault::TableDown(_)) if !target.starts_with("DynamoDB") => None,
            Some(Fault::BucketSilent) if target.starts_with("DynamoDB") => None,
            Some(Fault::Conflicting) if !target.ends_with("TransactWriteItems") => None,
            Some(Fault::AnswerLost) if !["PutItem", "TransactWriteItems"].iter().any(|call| target.ends_with(call)) => {
                None
            }
            Some(Fault::UpdateAnswerLost) if !target.ends_with("UpdateItem") => None,
            Some(Fault::WriteConflicts) if !target.ends_with("UpdateItem") => None,
            Some(Fault::AnswerLost | Fault::UpdateAnswerLost | Fault::WriteConflicts) => fault.take(),
            other => other,
        }
    }
}

#[derive(Debug)]
struct FaultyClient {
    caller: &'static str,
    inner: SharedHttpClient,
    faults: Faults,
}

impl HttpClient for FaultyClient {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(FaultyConnector { caller: self.caller, inner, faults: self.faults.clone() })
    }
}

#[derive(Debug)]
struct FaultyConnector {
    caller: &'static str,
    inner: SharedHttpConnector,
    faults: Faults,
}

impl HttpConnector for FaultyConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        privileges::note(self.caller, &request);
        match self.faults.on(&request) {
            None => self.call_soundly(request),
            Some(Fault::QueueTakesNothing) => takes_nothing(&request),
            Some(Fault::StoppedAfter(_)) => HttpConnectorFuture::new(std::future::pending()),
            Some(Fault::TableDown(Outage::Failing) | Fault::FailsAfter(_) | Fault::Failing(_)) => {
                answered(500, "InternalServerError", "")
            }
            Some(Fault::TimedOut | Fault::BucketSilent | Fault::TableDown(Outage::Silent)) => {
                HttpConnectorFuture::ready(Err(ConnectorError::timeout("injected".into())))
            }
            Some(Fault::Throttled | Fault::TableDown(Outage::Throttling)) => {
                refused("ProvisionedThroughputExceededException", "")
            }
            Some(Fault::Conflicting) => {
                refused("TransactionCanceledException", r#","CancellationReasons":[{"Code":"TransactionConflict"}]"#)
            }
            Some(Fault::WriteConflicts) => refused("TransactionConflictException", ""),
            Some(Fault::AnswerLost | Fault::UpdateAnswerLost) => {
                let answer = self.faults.meter.call(request, &self.inner);
                HttpConnectorFuture::new(async move {
                    answer.await?;
                    Err(ConnectorError::io("injected".into()))
                })
            }
        }
    }
}

impl FaultyConnector {
    fn call_soundly(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (caller, is_of_bucket) = (self.caller, needs::is_of_bucket(&request));
        let answer = self.faults.meter.call(request, &self.inner);
        if is_of_bucket { privileges::note_answer(caller, answer) } else { answer }
    }
}

fn refused(code: &str, more: &str) -> HttpConnectorFuture {
    answered(400, code, more)
}

fn answered(status: u16, code: &str, more: &str) -> HttpConnectorFuture {
    let body = format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"injected"{more}}}"#);
    let mut response = HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    HttpConnectorFuture::ready(Ok(response))
}

/// A 200 response in which every entry failed.
fn takes_nothing(request: &HttpRequest) -> HttpConnectorFuture {
    let sent: serde_json::Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
    let failed: Vec<serde_json::Value> = sent["Entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| serde_json::json!({"Id": entry["Id"], "SenderFault": false, "Code": "InternalError"}))
        .collect();
    let body = serde_json::json!({"Successful": [], "Failed": failed}).to_string();
    let mut response = HttpResponse::new(200.try_into().unwrap(), SdkBody::from(body));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    HttpConnectorFuture::ready(Ok(response))
}
