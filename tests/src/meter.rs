//! Measures DynamoDB usage: the number of calls, the longest chain of sequential calls, and the capacity units.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use aws_smithy_runtime_api::client::http::{HttpConnector as _, HttpConnectorFuture, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::{Value, json};

const TARGET: &str = "x-amz-target";

#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Vec<Metered>>>);

#[derive(Clone, Debug)]
struct Metered {
    name: String,
    started: Instant,
    ended: Instant,
    read_units: f64,
    write_units: f64,
}

/// The DynamoDB usage of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub calls: Vec<String>,
    /// The length of the longest chain of calls in which each waited for the previous one.
    pub depth: usize,
    pub read_units: f64,
    pub write_units: f64,
}

impl Meter {
    /// Returns the usage since the last call of this method.
    pub fn take(&self) -> Cost {
        let calls = std::mem::take(&mut *self.0.lock().unwrap());
        Cost {
            depth: depth(&calls),
            read_units: calls.iter().map(|call| call.read_units).sum(),
            write_units: calls.iter().map(|call| call.write_units).sum(),
            calls: calls.into_iter().map(|call| call.name).collect(),
        }
    }

    pub(crate) fn call(&self, mut request: HttpRequest, inner: &SharedHttpConnector) -> HttpConnectorFuture {
        let target = request.headers().get(TARGET).unwrap_or_default();
        let Some(name) = target.strip_prefix("DynamoDB_20120810.").map(str::to_owned) else {
            return inner.call(request);
        };
        let asked = ask_for_units(&mut request);
        let (meter, started, answer) = (self.clone(), Instant::now(), inner.call(request));
        HttpConnectorFuture::new(async move {
            let (response, body) = read(answer.await?).await?;
            let (read_units, write_units) = units(&name, &asked, &body);
            let name = with_items(name, &asked);
            let ended = Instant::now();
            meter.0.lock().unwrap().push(Metered { name, started, ended, read_units, write_units });
            Ok(response)
        })
    }
}

fn depth(calls: &[Metered]) -> usize {
    let mut calls: Vec<&Metered> = calls.iter().collect();
    calls.sort_by_key(|call| call.started);
    let mut depths: Vec<usize> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let before = calls[..index].iter().zip(&depths).filter(|(other, _)| other.ended <= call.started);
        depths.push(1 + before.map(|(_, depth)| *depth).max().unwrap_or(0));
    }
    depths.into_iter().max().unwrap_or(0)
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

/// Read and write units (DynamoDB Developer Guide, "DynamoDB throughput capacity"). The emulator counts each read as one unit, so
/// read units are calculated here from the size of the items.
fn units(name: &str, asked: &Value, answer: &Value) -> (f64, f64) {
    let strength = if asked["ConsistentRead"] == true { 1.0 } else { 0.5 };
    match name {
        "GetItem" => (strength * blocks(size(&answer["Item"]), 4096), 0.0),
        "Query" => {
            let items = answer["Items"].as_array().into_iter().flatten();
            (strength * blocks(items.map(size).sum(), 4096), 0.0)
        }
        "BatchGetItem" => {
            let found: Vec<&Value> = answer["Responses"]
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(_, items)| items.as_array())
                .flatten()
                .collect();
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
