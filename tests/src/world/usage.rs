//! Counting: the meter function, and the stream of the table that it reads.

use aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType};
use meter::Window;
use serde_json::{Value, json};

use super::World;
use crate::settings::{TABLE, endpoint};

/// The classes of keys that the filters of the function's mapping let through.
const COUNTED: [&str; 4] = ["MSG#", "SMS#", "DLV#", "BEAT#"];
/// The shard in the records of the emulator, whose streams have one.
const SHARD: &str = "shardId-00000000000000000000-00000001";

impl World {
    /// Creates a world whose table has a stream, and local webhooks.
    pub async fn with_stream() -> World {
        let world = World::with_local_webhooks().await;
        let stream =
            StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
        let update = world.account.dynamodb.update_table().table_name(TABLE);
        update.stream_specification(stream.build().unwrap()).send().await.unwrap();
        world
    }

    /// All records of the stream that the filters let through.
    pub fn stream_records(&self) -> Vec<Value> {
        let streams = self.account.streams("ListStreams", &json!({"TableName": TABLE}));
        let arn = &streams["Streams"][0]["StreamArn"];
        let stream = self.account.streams("DescribeStream", &json!({"StreamArn": arn}));
        let shard = &stream["StreamDescription"]["Shards"][0]["ShardId"];
        let wanted = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let mut next = self.account.streams("GetShardIterator", &wanted)["ShardIterator"].clone();
        let mut records = Vec::new();
        loop {
            let page = self.account.streams("GetRecords", &json!({"ShardIterator": next, "Limit": 1000}));
            let found = page["Records"].as_array().unwrap();
            if found.is_empty() {
                return records;
            }
            records.extend(found.iter().filter(|record| passes(record)).map(|record| with_source(record, arn)));
            next = page["NextShardIterator"].clone();
        }
    }

    /// Invokes the meter function with records. Fails with its log text.
    pub async fn meter(&self, records: &[Value]) -> Result<(), String> {
        let window = json!({"Records": records, "shardId": SHARD, "window": {"start": "", "end": ""}, "state": {}});
        let window: Window = serde_json::from_value(window).unwrap();
        self.meter.work(window).await.map(|_| ()).map_err(|failure| failure.log_text())
    }

    /// Counts everything that has happened.
    pub async fn count(&self) {
        for batch in self.stream_records().chunks(100) {
            self.meter(batch).await.unwrap();
        }
    }
}

/// Whether the filters of the function's mapping let a record through.
pub fn passes(record: &Value) -> bool {
    let keys = &record["dynamodb"]["Keys"];
    let (partition, sort) = (keys["PK"]["S"].as_str().unwrap(), keys["SK"]["S"].as_str().unwrap());
    let is_part = (partition.starts_with("MSG#") || partition.starts_with("SMS#")) && !["MSG", "SMS"].contains(&sort);
    record["eventName"] != "REMOVE" && !is_part && COUNTED.iter().any(|class| partition.starts_with(class))
}

/// What Lambda adds to a record.
fn with_source(record: &Value, arn: &Value) -> Value {
    let mut record = record.clone();
    record["eventSourceARN"] = arn.clone();
    record
}

impl crate::emulator::Account {
    /// Calls an operation of the table's streams. The emulator tells accounts apart by the access key, and ignores signatures.
    fn streams(&self, operation: &str, input: &Value) -> Value {
        let credential = format!("{}/20260101/us-east-1/dynamodb/aws4_request", self.id());
        let signed = format!("AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=host, Signature=0");
        let call = ureq::post(endpoint())
            .header("X-Amz-Target", format!("DynamoDBStreams_20120810.{operation}"))
            .header("Content-Type", "application/x-amz-json-1.0")
            .header("Authorization", signed);
        let text = call.send(input.to_string()).unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }
}
