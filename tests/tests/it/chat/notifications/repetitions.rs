//! Repetitions: the platform sends a notification again if the response was late or lost.

use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, connect, notification};

use super::{ANN, SENT, status, text_message};

/// A notification of each kind, in the order of their times.
fn one_of_each_kind(line: &Line) -> [Value; 9] {
    let echo = json!({"from": line.display, "to": ANN, "id": "wamid.3", "timestamp": "2000000002",
        "type": "text", "text": {"body": "From the phone"}});
    let contact = json!({"type": "contact", "action": "add",
        "contact": {"full_name": "Bob", "phone_number": "16505550000"}, "metadata": {"timestamp": "2000000003"}});
    let preference = json!({"wa_id": ANN, "category": "marketing_messages", "value": "stop", "timestamp": SENT + 3});
    let template = json!({"event": "APPROVED", "message_template_id": 77, "message_template_name": "t",
        "message_template_language": "en-US"});
    let quality = json!({"display_phone_number": line.display, "event": "THROUGHPUT_UPGRADE"});
    let of_account =
        |seconds: i64, field: &str, value: &Value| notification(&line.account, SENT + seconds, field, value);

    [
        line.message(&text_message("wamid.1", "Hi")),
        line.status(&status("wamid.2", "delivered", 1)),
        line.about("smb_message_echoes", &json!({"message_echoes": [echo]})),
        line.about("smb_app_state_sync", &json!({"state_sync": [contact]})),
        line.about("user_preferences", &json!({"user_preferences": [preference]})),
        of_account(4, "account_review_update", &json!({"decision": "APPROVED"})),
        of_account(5, "message_template_status_update", &template),
        of_account(6, "phone_number_quality_update", &quality),
        of_account(7, "account_update", &json!({"event": "PARTNER_REMOVED"})),
    ]
}

#[tokio::test]
async fn repetitions_change_nothing() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "706").await;
    let notifications = one_of_each_kind(&line);
    for notification in &notifications {
        world.notify(notification).await.expect(200);
    }
    let once = world.account.items().await;

    for _ in 0..2 {
        for notification in &notifications {
            world.notify(notification).await.expect(200);
        }
    }
    world.work_off().await;

    assert_eq!(world.account.items().await, once);
}
