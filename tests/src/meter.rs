//! Measures DynamoDB usage: the number of calls, the longest chain of sequential calls, and the capacity units.

use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::{HttpConnector as _, HttpConnectorFuture, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::{Value, json};

use crate::rounds::Rounds;

const TARGET: &str = "x-amz-target";

#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Vec<Metered>>>, Rounds, Arc<Mutex<Vec<String>>>);

#[derive(Clone, Debug)]
struct Metered {
    name: String,
    /// The number of the round trip that it belongs to.
    round: usize,
    read_units: f64,
    write_units: f64,
    items_read: usize,
    bytes_read: usize,
}

/// The DynamoDB usage of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub calls: Vec<String>,
    /// The length of the longest chain of calls in which each waited for the previous one (`Rounds`).
    pub depth: usize,
    pub read_units: f64,
    pub write_units: f64,
    pub items_read: usize,
    pub bytes_read: usize,
}

impl Meter {
    /// Returns the result of this work and its usage. Nothing else may use the table meanwhile.
    pub async fn of<T>(&self, work: impl Future<Output = T>) -> (T, Cost) {
        self.0.lock().unwrap().clear();
        let measuring = self.1.begin();
        let done = work.await;
        drop(measuring);
        (done, self.cost())
    }

    /// The calls that were made aside: what functions do once per hour or minute, and which no operation is charged.
    pub fn aside(&self) -> Vec<String> {
        self.2.lock().unwrap().clone()
    }

    fn cost(&self) -> Cost {
        let calls = std::mem::take(&mut *self.0.lock().unwrap());
        Cost {
            depth: calls.iter().map(|call| call.round).max().unwrap_or(0),
            read_units: calls.iter().map(|call| call.read_units).sum(),
            write_units: calls.iter().map(|call| call.write_units).sum(),
            items_read: calls.iter().map(|call| call.items_read).sum(),
            bytes_read: calls.iter().map(|call| call.bytes_read).sum(),
            calls: calls.into_iter().map(|call| call.name).collect(),
        }
    }

    pub(crate) fn call(&self, mut request: HttpRequest, inner: &SharedHttpConnector) -> HttpConnectorFuture {
        let target = request.headers().get(TARGET).unwrap_or_default();
        let Some(name) = target.strip_prefix("DynamoDB_20120810.").map(str::to_owned) else {
            return inner.call(request);
        };
        let asked = ask_for_units(&mut request);
        if let Some(aside) = aside(&name, request.body().bytes().unwrap_or_default()) {
            self.2.lock().unwrap().push(aside);
            return inner.call(request);
        }
        let (meter, mut turn, answer) = (self.clone(), self.1.enter(), inner.call(request));
        HttpConnectorFuture::new(async move {
            let (response, body) = read(answer.await?).await?;
            let (read_units, write_units) = units(&name, &asked, &body);
            let read = items(&name, &body);
            let (items_read, bytes_read) = (read.len(), read.into_iter().map(size).sum());
            let name = with_items(name, &asked);
            let call = Metered { name, round: turn.round, read_units, write_units, items_read, bytes_read };
            meter.0.lock().unwrap().push(call);
            turn.end().await;
            Ok(response)
        })
    }
}

/// Returns the name of a call that is made once per hour (of the use of a key) or minute (of the limits of organizations).
fn aside(name: &str, body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let class = body["Key"]["PK"]["S"].as_str()?.split('#').next()?;
    matches!((name, class), ("UpdateItem", "USED") | ("GetItem", "LIMITS")).then(|| format!("{name} {class}"))
}

/// Asks the emulator for consumed capacity. Adding a parameter after signing is safe: the emulator ignores signatures.
fn ask_for_units(request: &mut HttpRequest) -> Value {
    let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
    body["ReturnConsumedCapacity"] = json!("TOTAL");
    let text = body.to_string();
    request.headers_mut().insert("content-length", text.len().to_string());
    *request.body_mut() = SdkBody::from(text);
    body
}

async fn read(mut response: HttpResponse) -> Result<(HttpResponse, Value), ConnectorError> {
    let body = std::mem::replace(response.body_mut(), SdkBody::taken());
    let bytes = ByteStream::new(body).collect().await.map_err(|error| ConnectorError::io(error.into()))?.into_bytes();
    let value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    *response.body_mut() = SdkBody::from(bytes);
    Ok((response, value))
}

/// The name of a call; calls with several items include their number, such as `BatchGetItem 3`.
fn with_items(name: String, asked: &Value) -> String {
    match name.as_str() {
        "BatchGetItem" => format!("{name} {}", keys(asked)),
        "TransactWriteItems" => format!("{name} {}", asked["TransactItems"].as_array().map_or(0, Vec::len)),
        _ => name,
    }
}

fn keys(asked: &Value) -> usize {
    let tables = asked["RequestItems"].as_object().into_iter().flatten();
    tables.map(|(_, table)| table["Keys"].as_array().map_or(0, Vec::len)).sum()
}

/// The items that a read returned.
fn items<'a>(name: &str, answer: &'a Value) -> Vec<&'a Value> {
    match name {
        "GetItem" => answer.get("Item").into_iter().collect(),
        "Query" => answer["Items"].as_array().into_iter().flatten().collect(),
        "BatchGetItem" => {
            let tables = answer["Responses"].as_object().into_iter().flatten();
            tables.filter_map(|(_, items)| items.as_array()).flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// Read and write units (DynamoDB Developer Guide, "DynamoDB throughput capacity"). The emulator counts each read as one unit, so
/// read units are calculated here from the size of the items.
fn units(name: &str, asked: &Value, answer: &Value) -> (f64, f64) {
    let strength = if asked["ConsistentRead"] == true { 1.0 } else { 0.5 };
    match name {
        "GetItem" => (strength * blocks(size(&answer["Item"]), 4096), 0.0),
        "Query" => (strength * blocks(items(name, answer).into_iter().map(size).sum(), 4096), 0.0),
        "BatchGetItem" => {
            let found = items(name, answer);
            let read: f64 = found.iter().map(|item| blocks(size(item), 4096)).sum();
            // Reading a key without an item costs as much as reading a small item.
            (read + (keys(asked) - found.len()) as f64, 0.0)
        }
        "TransactGetItems" => {
            let items = answer["Responses"].as_array().into_iter().flatten();
            (items.map(|response| 2.0 * blocks(size(&response["Item"]), 4096)).sum(), 0.0)
        }
        _ => {
            let consumed = match &answer["ConsumedCapacity"] {
                Value::Array(tables) => tables.iter().filter_map(|table| table["CapacityUnits"].as_f64()).sum(),
                table => table["CapacityUnits"].as_f64().unwrap_or(1.0),
            };
            (0.0, consumed)
        }
    }
}

fn blocks(bytes: usize, block: usize) -> f64 {
    bytes.div_ceil(block).max(1) as f64
}

/// The size of an item in bytes, by DynamoDB's rules (Developer Guide, "DynamoDB item sizes and formats").
fn size(item: &Value) -> usize {
    item.as_object().into_iter().flatten().map(|(name, value)| name.len() + value_size(value)).sum()
}

fn value_size(value: &Value) -> usize {
    let Some((kind, value)) = value.as_object().and_then(|fields| fields.iter().next()) else { return 0 };
    match (kind.as_str(), value) {
        ("S", Value::String(text)) => text.len(),
        ("N", Value::String(digits)) => digits.len().div_ceil(2) + 1,
        ("B", Value::String(base64)) => base64.len() * 3 / 4,
        ("SS" | "NS" | "BS", Value::Array(members)) => members.iter().filter_map(Value::as_str).map(str::len).sum(),
        ("L", Value::Array(items)) => 3 + items.iter().map(|item| 1 + value_size(item)).sum::<usize>(),
        ("M", map) => 3 + map.as_object().map_or(0, serde_json::Map::len) + size(map),
        _ => 1,
    }
}
