//! Messages that are not sent: the platform refuses them, they expire, or what they need is gone at their turn.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::chat::notification;
use tests::request::text;
use tests::samples::PNG;
use tests::standin;
use tests::{Call, Service as _, privileges};

use super::scene::Scene;
use super::{DAY, TO, fields, hello, seconds, valid_for};

#[tokio::test]
async fn a_final_refusal_ends_the_message_and_is_an_event() {
    let scene = Scene::new("2615").await;
    scene.refuse(131_047, 1);

    let id = scene.queued(&hello()).await;
    scene.work().await;

    let refused = scene.line.details(&scene.world, &id).await;
    assert_eq!(
        fields(&refused, ["outcome", "errorCode"]),
        json!({"outcome": "REFUSED", "errorCode": "conversation_window_expired"})
    );
    assert_eq!(scene.failures().await, [json!({"id": id, "outcome": "REFUSED"})]);

    scene.later(DAY).await;
    assert_eq!((scene.requests(), scene.failures().await.len()), (1, 1));
}

#[tokio::test]
async fn a_message_that_is_not_sent_in_time_expires() {
    let scene = Scene::new("2616").await;

    for (is_swept, is_performed) in [(true, false), (false, true), (true, true)] {
        let case = format!("by the sweep: {is_swept}, by the worker: {is_performed}");
        let id = scene.stored(&valid_for(30)).await;
        scene.world.clock.advance(seconds(31));
        let worker = async { if is_performed { scene.perform([&id]).await } else { 0 } };
        let sweep = async { if is_swept { scene.world.sweep().await.done } else { 0 } };
        tokio::join!(worker, sweep);

        let expired = scene.line.details(&scene.world, &id).await;
        assert_eq!((&expired["outcome"], expired["errorMessage"].is_string()), (&json!("EXPIRED"), true), "{case}");
        assert_eq!(scene.failures_of(&id).await, [json!({"id": id, "outcome": "EXPIRED"})], "{case}");
        scene.work().await;
    }

    assert_eq!((scene.requests(), scene.due().await), (0, 0));
}

/// What a queued message needs, and loses before its turn.
#[derive(Clone, Copy, Debug)]
enum Loss {
    AccountDisconnected,
    TokenExpired,
    TemplatePaused,
    MediumDeleted,
    NumberTakenOffTheApp,
    AppDeleted,
}

impl Loss {
    /// Prepares the number, and returns a message that can be sent until the loss.
    async fn message(self, scene: &Scene, media: &str) -> Value {
        match self {
            Loss::TemplatePaused => {
                let mut listed = standin::template("7", "t");
                listed["components"] = json!([{"type": "BODY", "text": "Hello"}]);
                let account = scene.line.account.as_str();
                scene.world.platform.state().accounts.get_mut(account).unwrap().templates = vec![listed];
                let sync = json!({"chatBusinessProfileId": scene.line.profile});
                scene.world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
                json!({"to": TO, "type": "template", "template": {"name": "t", "language": "en_US"}})
            }
            Loss::MediumDeleted => json!({"to": TO, "type": "image", "image": {"mediaId": media}}),
            _ => hello(),
        }
    }

    /// Lets it happen; `time` is that of the platform's update.
    async fn happen(self, scene: &Scene, media: &str, time: i64) {
        let (world, line) = (&scene.world, &scene.line);
        let app = format!("/v1/organization/apps/{}", world.org.app);
        let report = async |field: &str, value: Value| {
            world.notify(&notification(&line.account, time, field, &value)).await.expect(200);
        };
        match self {
            Loss::AccountDisconnected => report("account_update", json!({"event": "PARTNER_REMOVED"})).await,
            Loss::TokenExpired => {
                // As a signup with a token of that end does.
                scene.change_profile("tokenExpiresAt", AttributeValue::S(world.now().to_string())).await;
            }
            Loss::TemplatePaused => {
                let paused = json!({
                    "event": "PAUSED", "message_template_id": 7, "message_template_name": "t",
                    "message_template_language": "en_US", "message_template_category": "UTILITY",
                });
                report("message_template_status_update", paused).await;
            }
            Loss::MediumDeleted => {
                world.send(Call::delete(format!("/v1/media/{media}")).key(&world.org.app_key)).await.expect(200);
            }
            Loss::NumberTakenOffTheApp => {
                world.admin(Call::delete(format!("{app}/phone-numbers/{}", line.number))).await.expect(200);
            }
            Loss::AppDeleted => {
                world.admin(Call::delete(&app)).await.expect(200);
            }
        }
    }
}

/// What no longer holds at its turn refuses a message, with the code of the direct send.
#[tokio::test]
async fn a_queued_message_is_validated_again_before_its_attempt() {
    let mut scene = Scene::new("2620").await;
    let upload = Call::post("/v1/media").key(&scene.world.org.app_key).file("a.png", None, PNG);
    let media = text(&scene.world.send(upload).await.expect(201), "id");

    let cases = [
        (Loss::AccountDisconnected, Some("chat_not_configured")),
        (Loss::TokenExpired, Some("chat_not_configured")),
        (Loss::TemplatePaused, Some("template_not_found")),
        // A reason without a code of this API has none.
        (Loss::MediumDeleted, None),
        (Loss::NumberTakenOffTheApp, Some("phone_number_not_assigned")),
        (Loss::AppDeleted, Some("phone_number_not_assigned")),
    ];
    for (n, (loss, code)) in cases.into_iter().enumerate() {
        if n > 0 {
            scene.connect(&format!("262{n}")).await;
        }
        let message = loss.message(&scene, &media).await;
        let sendable = scene.queued(&message).await;
        scene.work().await;
        assert_eq!(scene.outcome(&sendable).await, "ACCEPTED", "{loss:?}: it holds before");
        for seen in scene.world.platform.seen("/messages") {
            privileges::note_presigned_in("worker", &seen.json().to_string());
        }

        let id = scene.queued(&message).await;
        loss.happen(&scene, &media, 2_000_000_000 + n as i64).await;
        scene.work().await;

        let refused = scene.line.details(&scene.world, &id).await;
        assert_eq!(
            fields(&refused, ["outcome", "errorCode"]),
            json!({"outcome": "REFUSED", "errorCode": code}),
            "{loss:?}"
        );
        assert!(refused["errorMessage"].is_string(), "{loss:?}");
        assert_eq!(scene.requests_for(&id), 0, "{loss:?}");
        assert_eq!(scene.failures_of(&id).await.len(), 1, "{loss:?}");
    }
}
