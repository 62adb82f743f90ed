//! Updates of the platform that cannot be applied.

use runtime::Metric;
use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::{altered, text};
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::Shown;

/// Injects updates of the platform that cannot be applied.
pub(super) async fn inject_update(world: &World, row: &str) -> Shown {
    use Shown::Alarm;
    let line = connect(world, &world.org, "6130").await;
    let tell = async |update: Value| {
        world.notify(&update).await.expect(200);
    };
    let hello = |id: &str| line.message(&json!({"id": id, "type": "text", "text": {"body": "Hi"}}));
    let told = |id: &str, status: &str| {
        line.status(&json!({"id": id, "status": status, "timestamp": "2000000000", "recipient_id": "16505551234"}))
    };

    match row {
        "UnfetchedMediaAlarm" => {
            for n in 0..5 {
                unfetched(world, &line, n).await;
            }
            Alarm("FrequentProblemsAlarm", Metric::UnfetchedMedia)
        }
        "DroppedStatusesAlarm" => {
            let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hi"}});
            let sent =
                world.send(Call::post("/v1/chat/messages").key(&world.org.app_key).json(&body)).await.expect(201);
            let data = format!("{}:{}", world.org.id, altered(&text(&sent, "id")));
            tell(line.status(&json!({"id": "wamid.z", "status": "read", "timestamp": "2000000000", "biz_opaque_callback_data": data}))).await;
            Alarm("ProblemsAlarm", Metric::DroppedStatuses)
        }
        "UnknownPlatformValuesAlarm" => {
            tell(told("wamid.1", "novel")).await;
            Alarm("ProblemsAlarm", Metric::UnknownPlatformValues)
        }
        "UnreadablePlatformFieldsAlarm" => {
            let odd = json!({"id": "wamid.1", "from": {}, "timestamp": [], "type": "text", "text": {"body": []}});
            tell(line.about("messages", &json!({"contacts": "x", "messages": [odd], "statuses": 1}))).await;
            Alarm("FrequentProblemsAlarm", Metric::UnreadablePlatformFields)
        }
        "MisdirectedUpdatesAlarm" => {
            for id in ["wamid.1", "wamid.2", "wamid.3", "wamid.4", "wamid.5"] {
                tell(hello(id)).await;
                tell(told(id, "read")).await;
            }
            Alarm("FrequentProblemsAlarm", Metric::MisdirectedUpdates)
        }
        "PlatformErrorsAlarm" => {
            let errors: Vec<Value> = (1..=5).map(|code| json!({"code": code})).collect();
            tell(line.about("messages", &json!({"errors": errors}))).await;
            Alarm("FrequentProblemsAlarm", Metric::PlatformErrors)
        }
        _ => panic!("no injection for {row}: a failure that the runbook describes needs an essential alarm"),
    }
}

/// A medium of a message cannot be fetched.
async fn unfetched(world: &World, line: &Line, n: usize) {
    world.platform.misbehave(&format!("/90{n}"), Misbehave::Status(401, error(190, "no").to_string()), 2);
    let image = json!({"id": format!("wamid.{n}"), "type": "image", "image": {"id": format!("90{n}"), "mime_type": "image/jpeg"}});
    world.notify(&line.message(&image)).await.expect(200);
    world.work_off().await;
}
