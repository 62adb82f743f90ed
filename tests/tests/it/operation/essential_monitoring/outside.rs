//! Failures of the outside world: receivers, the carrier and what the platform says of accounts.

use runtime::Metric;
use serde_json::json;
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::faults::Fault;
use tests::receiver::{Receiver, status};
use tests::sms::linked_number;
use tests::standin::{APP_ID, Misbehave, error};
use tests::topics::{Topic, inbound};
use tests::{Call, Service as _, World};

use super::failures::{event_of_a_webhook, later};
use super::updates::inject_update;
use super::{DAY, MINUTE, NOTIFICATIONS, Shown};

/// Injects a failure of the outside world.
pub(super) async fn inject_problem(world: &World, row: &str) -> Shown {
    use Shown::Alarm;
    let frequent = |metric| Alarm("FrequentProblemsAlarm", metric);
    let problem = |metric| Alarm("ProblemsAlarm", metric);
    match row {
        "RefusedSignaturesAlarm" | "FrequentProblemsAlarm" => {
            for _ in 0..5 {
                world.send(Call::post(NOTIFICATIONS).bytes("{}")).await.expect(401);
            }
            frequent(Metric::RefusedSignatures)
        }
        "DisabledWebhooksAlarm" | "ProblemsAlarm" => {
            event_of_a_webhook(world, &Receiver::start(status(410))).await;
            world.send_events().await;
            problem(Metric::DisabledWebhooks)
        }
        "SecretsWithoutProfileAlarm" => {
            secret_without_profile(world).await;
            problem(Metric::SecretsWithoutProfile)
        }
        "DroppedCarrierUpdatesAlarm" => {
            let topic = Topic::leading_to(&world.account.carrier).await;
            topic.publish(&inbound("+12065550171", "+12065550199", "Hello", "in-1")).await;
            while world.hear_carrier().await {}
            problem(Metric::DroppedCarrierUpdates)
        }
        "UnknownCarrierValuesAlarm" => {
            let topic = Topic::leading_to(&world.account.carrier).await;
            let novel =
                json!({"eventType": "TEXT_NOVEL", "messageId": "carrier-1", "eventTimestamp": [], "context": {}});
            topic.publish(&novel).await;
            while world.hear_carrier().await {}
            problem(Metric::UnknownCarrierValues)
        }
        "SpendLimitRefusalsAlarm" => {
            linked_number(world, "+12015550100").await;
            let reason = "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT";
            let refusal = json!({"__type": "ServiceQuotaExceededException", "Message": "no", "Reason": reason});
            world.carrier_account.state().faults = vec![Misbehave::Status(400, refusal.to_string())];
            let body = json!({"from": "+12015550100", "to": "+12065550171", "text": "Hello"});
            world.send(Call::post("/v1/sms").key(&world.org.app_key).json(&body)).await.expect(422);
            problem(Metric::SpendLimitRefusals)
        }
        "UncheckedProfilesAlarm" => {
            for n in 0..5 {
                connect(world, &world.org, &format!("611{n}")).await;
            }
            world.platform.misbehave("/debug_token", Misbehave::HangUp, u32::MAX);
            daily_check(world).await;
            frequent(Metric::UncheckedProfiles)
        }
        "AppProblemsAlarm" | "TokenProblemsAlarm" | "AccountProblemsAlarm" | "NumberProblemsAlarm" => {
            let line = connect(world, &world.org, "6120").await;
            let ends = world.now().plus(DAY * 3).seconds();
            world.platform.say("token-6120", json!({"expires_at": ends}));
            world.platform.say(APP_ID, json!({"fields": []}));
            world.platform.say("6120", json!({"account_review_status": "REJECTED"}));
            world.platform.say(&line.platform_number, json!({"quality_rating": "RED"}));
            daily_check(world).await;
            let name = row.strip_suffix("Alarm").unwrap();
            problem(Metric::ALL.into_iter().find(|metric| metric.name() == name).unwrap())
        }
        _ => inject_update(world, row).await,
    }
}

/// A signup is abandoned, and its token cannot be deleted.
async fn secret_without_profile(world: &World) {
    world.platform.account("6160", &[]);
    world.platform.misbehave("/6160", Misbehave::Status(400, error(100, "no access").to_string()), 4);
    world.admin(Call::post(SIGNUP).json(&json!({"code": "code.6160"}))).await.expect(422);

    world.clock.advance(DAY + MINUTE);
    world.index_caught_up().await;
    world.faults.set(Fault::BucketSilent);
    Box::pin(world.sweep_once()).await;
    world.faults.clear();
}

/// The day passes; then profiles are checked.
async fn daily_check(world: &World) {
    world.clock.advance(DAY + MINUTE * 10);
    later(world, 0).await;
    world.work_off().await;
}
