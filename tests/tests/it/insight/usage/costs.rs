//! What counting costs.

use serde_json::json;
use tests::Service as _;
use tests::World;
use tests::chat::connect;
use tests::request::text;

use super::{rows, send, status, usage};

/// The most write units per message at a hundred messages a second of one app. docs/insight.md states what it is.
const MOST_PER_MESSAGE: f64 = 0.2;
const MESSAGES: usize = 60;

/// Messages with all their statuses, in batches as large as a mapping passes at most.
#[tokio::test]
async fn counting_a_message_costs_a_fraction_of_a_unit() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5261").await;
    for _ in 0..MESSAGES {
        let sent = world.send(send(&line, "+16505551234")).await.expect(201);
        let priced = json!({"pricing": {"billable": true, "pricing_model": "PMP", "category": "utility"}});
        for name in ["sent", "delivered", "read"] {
            world.notify(&status(&line, &text(&sent, "providerMessageId"), name, &priced)).await.expect(200);
        }
    }
    let records = world.stream_records();
    let (mut units, mut reads) = (0.0, 0.0);
    for batch in records.chunks(1000) {
        let (counted, cost) = world.faults.meter.of(world.meter(batch)).await;
        counted.unwrap();
        units += cost.write_units;
        reads += cost.read_units;
    }
    assert_eq!(rows(&usage(&world, "").await)[0]["read"], MESSAGES);
    // The position, the check that the organization is not being deleted, and the counters of an hour and a day.
    assert!((units - 8.0).abs() < 0.01, "{units}");
    assert!((reads - 1.0).abs() < 0.6, "{reads}");
    let a_thousand_records = records.len() as f64 / MESSAGES as f64;
    let per_message = units / (1000.0 / a_thousand_records);
    assert!(per_message <= MOST_PER_MESSAGE, "{per_message} for {a_thousand_records} records a message");
}
