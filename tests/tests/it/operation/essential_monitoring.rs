//! Essential monitoring: the failure of each row of the runbook's table of alarms is injected, and one of the few essential
//! alarms goes off. The template says when an alarm does; metrics of AWS itself are taken as AWS documents them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::due::DueClass;
use futures_util::{StreamExt as _, stream};
use runtime::Metric;
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::{Line, connect};
use tests::faults::{Fault, Outage};
use tests::receiver::{Receiver, plain, status};
use tests::request::{altered, text};
use tests::sms::linked_number;
use tests::standin::{APP_ID, APP_SECRET, Misbehave, error, signature};
use tests::topics::{Topic, inbound};
use tests::{Call, Service as _, World};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);
const NOTIFICATIONS: &str = "/v1/platform/notifications";
const OWN: &str = "!Ref AWS::StackName";

fn read(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// An alarm of the template.
#[derive(Debug)]
struct Alarm {
    name: String,
    text: String,
}

impl Alarm {
    /// The alarms that exist with `Monitoring=essential`.
    fn essential() -> Vec<Alarm> {
        let template = read("infra/template.yaml");
        let blocks = template.split("\n\n").filter(|block| block.contains("    Type: AWS::CloudWatch::Alarm\n"));
        let all = blocks.map(|block| {
            let (before, _) = block.split_once(":\n    Type: AWS::CloudWatch::Alarm").unwrap();
            Alarm { name: before.rsplit(' ').next().unwrap().to_owned(), text: block.to_owned() }
        });
        all.filter(|alarm| !alarm.text.contains("    Condition: HasFullMonitoring\n")).collect()
    }

    fn named(name: &str) -> Alarm {
        let found = Alarm::essential().into_iter().find(|alarm| alarm.name == name);
        found.unwrap_or_else(|| panic!("no essential alarm is called {name}"))
    }

    fn property(&self, name: &str) -> &str {
        let (_, rest) =
            self.text.split_once(&format!("\n      {name}: ")).unwrap_or_else(|| panic!("{name}: {self:?}"));
        rest.split('\n').next().unwrap()
    }

    fn number(&self, name: &str) -> u64 {
        self.property(name).parse().unwrap()
    }

    /// Whether an alarm on a metric of our own is on, given all lines that the functions have published so far.
    fn is_on(&self, world: &World) -> bool {
        assert_eq!((self.property("Namespace"), self.text.contains("Dimensions")), (OWN, false), "{self:?}");
        let (period, now) = (i64::try_from(self.number("Period") * 1000).unwrap(), world.now().millis());
        let lines = world.metrics.json();
        let values: Vec<(i64, u64)> =
            lines.iter().filter_map(|line| value(line, self.property("MetricName"))).collect();
        (0..self.number("EvaluationPeriods")).all(|window| {
            let end = now - period * i64::try_from(window).unwrap();
            let in_window = values.iter().filter(|(at, _)| end - period < *at && *at <= end).map(|(_, value)| *value);
            let found = match self.property("Statistic") {
                "Sum" => in_window.reduce(|all, one| all + one),
                "Maximum" => in_window.max(),
                other => panic!("{other}"),
            };
            match (found, self.property("ComparisonOperator")) {
                (None, _) => self.property("TreatMissingData") == "breaching",
                (Some(found), "GreaterThanOrEqualToThreshold") => found >= self.number("Threshold"),
                (Some(found), "LessThanThreshold") => found < self.number("Threshold"),
                (_, other) => panic!("{other}"),
            }
        })
    }
}

/// The time and value of a line in CloudWatch's format, if it publishes this metric without dimensions.
fn value(line: &Value, metric: &str) -> Option<(i64, u64)> {
    let declared = &line["_aws"]["CloudWatchMetrics"][0];
    let is_it = declared["Metrics"][0]["Name"] == metric && declared["Dimensions"] == json!([[]]);
    is_it.then(|| (line["_aws"]["Timestamp"].as_i64().unwrap(), line[metric].as_u64().unwrap()))
}

/// How the failure of a row shows with essential monitoring.
enum Shown {
    /// This alarm on a metric of our own is on, because a function has published this metric of the runbook.
    Alarm(&'static str, Metric),
    /// This alarm is on, because a metric of our own is missing.
    Missing(&'static str),
    /// This alarm watches the metric with which AWS counts the failure.
    Aws(&'static str, &'static str),
}

#[test]
fn ten_alarms_and_ten_metrics_at_most() {
    let alarms = Alarm::essential();
    assert!(alarms.len() <= 10, "{} alarms", alarms.len());
    let names: BTreeSet<&str> = Metric::ALL.into_iter().filter_map(Metric::essential_name).collect();
    assert!(names.len() <= 10, "{names:?}");
    for name in names {
        let watching = alarms.iter().filter(|alarm| alarm.text.contains(&format!("      MetricName: {name}\n")));
        assert_eq!(watching.count(), 1, "alarms on {name}");
    }
    assert!(
        read("infra/template.yaml")
            .contains("  Dashboard:\n    Type: AWS::CloudWatch::Dashboard\n    Condition: HasFullMonitoring\n")
    );
}

/// The alarms that the runbook's table has a row for.
fn rows() -> BTreeSet<String> {
    let runbook = read("docs/runbook.md");
    let (_, table) = runbook.split_once("\n## Alarms\n").unwrap();
    let table = table.split("\n## ").next().unwrap();
    let cells = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ")).filter(|name| name.ends_with("Alarm")).map(str::to_owned).collect()
}

/// The failure of a row, by which rows with the same one share an injection; none if nothing is lost or late.
fn failure_of(row: &str) -> Option<&str> {
    match row {
        // A function that ends in time, however late, has not failed. If it does not, that counts as an error.
        _ if row.ends_with("DurationAlarm") => None,
        // The carrier has refused the messages, and the caller knows.
        "OptOutRefusalsAlarm" => None,
        "ServerErrorsAlarm" | "PlatformErrorsAlarm" => Some(row),
        // Lambda counts the errors of all functions as one.
        _ if row.ends_with("ErrorsAlarm") => Some("FunctionErrorsAlarm"),
        _ => Some(row),
    }
}

#[tokio::test]
async fn every_failure_of_the_runbook_raises_an_essential_alarm() {
    let rows = rows();
    assert!(rows.len() > 70, "{rows:?}");
    let failures: BTreeSet<&str> = rows.iter().filter_map(|row| failure_of(row)).collect();
    let all = stream::iter(failures).map(|failure| async move { Box::pin(expect_alarm(failure)).await });
    all.buffer_unordered(12).for_each(async |()| {}).await;
}

/// Injects the failure of a row and expects its alarm.
async fn expect_alarm(row: &str) {
    let mut world = World::with_essential_monitoring().await;
    match Box::pin(inject(&mut world, row)).await {
        Shown::Alarm(name, metric) => {
            let lines = world.metrics.json();
            assert!(lines.iter().any(|line| line["metric"] == metric.name()), "{row}: {lines:?}");
            assert!(Alarm::named(name).is_on(&world), "{row}: {name} is off: {lines:?}");
        }
        Shown::Missing(name) => assert!(Alarm::named(name).is_on(&world), "{row}: {name} is off"),
        Shown::Aws(name, metric) => {
            let alarm = Alarm::named(name);
            assert!(alarm.text.contains(&format!("MetricName: {metric}")), "{row}: {alarm:?}");
        }
    }
}

async fn inject(world: &mut World, row: &str) -> Shown {
    use Shown::{Alarm, Aws, Missing};
    let is_of = |kind: &str| row.strip_suffix(kind).map(str::to_lowercase);
    if row == "FunctionErrorsAlarm" {
        // An invocation that ends without a response.
        store_due(world, DueClass::Media).await;
        world.index_caught_up().await;
        world.faults.set(Fault::BucketSilent);
        let ended = world.sweeper.serve(serde_json::from_value(json!({})).unwrap()).await;
        assert!(ended.is_err(), "the rounds could not be queued");
        return Aws("FunctionErrorsAlarm", "Errors");
    }
    if let Some(queue) = is_of("DeadLettersAlarm").filter(|queue| !queue.is_empty()) {
        dead_letter(world, &queue).await;
        return Alarm("DeadLettersAlarm", Metric::DeadLetters);
    }
    for class in DueClass::ALL {
        if is_of("DueAlarm").is_some_and(|name| name == class.as_str()) {
            waits(world, class).await;
            return Alarm("DueWorkAlarm", Metric::OldestDueSeconds);
        }
        if is_of("UnreadAlarm").is_some_and(|name| name == class.as_str()) {
            cannot_be_read(world).await;
            return Missing("DueWorkAlarm");
        }
    }
    match row {
        "ServerErrorsAlarm" => {
            world.faults.set(Fault::TimedOut);
            world.admin(Call::get("/v1/organization/settings")).await.expect(500);
            Aws("ServerErrorsAlarm", "5xx")
        }
        "JobQueueAgeAlarm" => Aws("JobQueueAgeAlarm", "ApproximateAgeOfOldestMessage"),
        "CarrierQueueAgeAlarm" => Aws("CarrierQueueAgeAlarm", "ApproximateAgeOfOldestMessage"),
        // Throttled functions do not run, and throttled requests get a 5xx from the gateway.
        "DispatchIteratorAgeAlarm" | "FunctionThrottlesAlarm" => {
            event_of_a_webhook(world, &Receiver::start(status(200))).await;
            later(world, 6).await;
            Alarm("ProblemsAlarm", Metric::LateDueItems)
        }
        "DeliveryQueueAgeAlarm" | "PatientDeliveryQueueAgeAlarm" => {
            left_in_queue(world, row.starts_with("Patient")).await;
            Alarm("ProblemsAlarm", Metric::LateDueItems)
        }
        "SendQueueAgeAlarm" | "LateDueItemsAlarm" => {
            let line = connect(world, &world.org, "6101").await;
            let body = json!({"from": line.number, "queue": true, "to": "+16505551234", "type": "text", "text": {"body": "Hi"}});
            world.send(Call::post("/v1/chat/messages").key(&world.org.app_key).json(&body)).await.expect(202);
            later(world, 7).await;
            Alarm("ProblemsAlarm", Metric::LateDueItems)
        }
        "FailedDueItemsAlarm" | "PostponedWorkAlarm" => {
            announce(world).await;
            world.faults.set(Fault::BucketSilent);
            for minutes in [20, 10, 10] {
                later(world, minutes).await;
            }
            Alarm("PostponedWorkAlarm", Metric::FailedDueItems)
        }
        "PutBackMessagesAlarm" | "TableReadThrottlesAlarm" | "TableWriteThrottlesAlarm" => {
            throttled(world).await;
            Alarm("PostponedWorkAlarm", Metric::PutBackMessages)
        }
        "UnknownDueItemsAlarm" => {
            store_due(world, DueClass::Media).await;
            later(world, 1).await;
            Alarm("ProblemsAlarm", Metric::UnknownDueItems)
        }
        "DueWorkAlarm" => {
            waits(world, DueClass::Sends).await;
            Alarm("DueWorkAlarm", Metric::OldestDueSeconds)
        }
        "DeadLettersAlarm" => {
            dead_letter(world, "job").await;
            Alarm("DeadLettersAlarm", Metric::DeadLetters)
        }
        // Nothing was published at all.
        "NoNotificationsAlarm" => Missing("NoNotificationsAlarm"),
        _ => inject_problem(world, row).await,
    }
}

/// Injects a failure of the outside world.
async fn inject_problem(world: &World, row: &str) -> Shown {
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

/// Injects updates of the platform that cannot be applied.
async fn inject_update(world: &World, row: &str) -> Shown {
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

/// Lets minutes pass; then the schedule runs once, and the rounds that it starts.
async fn later(world: &World, minutes: u32) {
    world.clock.advance(MINUTE * minutes);
    world.index_caught_up().await;
    Box::pin(world.sweep_once()).await;
}

/// Stores an item of the class that is due, and that no release knows.
async fn store_due(world: &World, class: DueClass) {
    let text = |text: String| AttributeValue::S(text);
    let item = [
        ("PK", text("LATER#1".to_owned())),
        ("SK", text("LATER".to_owned())),
        ("duePartition", text(format!("{}#0", class.as_str()))),
        ("dueAt", AttributeValue::N(world.now().millis().to_string())),
    ];
    world.account.store_item(item.map(|(name, value)| (name.to_owned(), value)).into()).await;
}

/// Something of the class is due for twenty minutes, and no round is worked off.
async fn waits(world: &World, class: DueClass) {
    store_due(world, class).await;
    world.index_caught_up().await;
    for minutes in [12, 5, 5] {
        world.clock.advance(MINUTE * minutes);
        let looked = Box::pin(world.sweeper.look()).await;
        assert_eq!((looked.rounds.len(), looked.rounds[0].class, looked.unread), (1, class, 0));
    }
}

/// The index cannot be read, for ten minutes.
async fn cannot_be_read(world: &World) {
    Box::pin(world.sweeper.look()).await;
    assert!(!Alarm::named("DueWorkAlarm").is_on(world), "the look of an idle minute raises nothing");
    world.metrics.clear();
    for _ in 0..2 {
        world.clock.advance(MINUTE * 5);
        world.faults.set(Fault::TableDown(Outage::Failing));
        assert!(Box::pin(world.sweeper.look()).await.unread > 0);
        world.faults.clear();
    }
}

/// A message comes to a dead-letter queue.
async fn dead_letter(world: &World, name: &str) {
    let queue = world
        .account
        .all_dead_letters()
        .into_iter()
        .find(|url| url.to_lowercase().ends_with(&format!("/{name}deadletters")));
    let queue = queue.unwrap_or_else(|| panic!("no dead-letter queue of {name}"));
    world.account.sqs.send_message().queue_url(queue).message_body("{}").send().await.unwrap();
    // Dead letters are counted every five minutes.
    for _ in 0..5 {
        world.clock.advance(MINUTE);
        world.sweeper.serve(serde_json::from_value(json!({})).unwrap()).await.unwrap();
    }
}

async fn announce(world: &World) {
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 1000});
    world.send(Call::post("/v1/media/uploads").key(&world.org.app_key).json(&announced)).await.expect(201);
}

/// Creates a webhook of this receiver and an event for it.
async fn event_of_a_webhook(world: &World, receiver: &Receiver) {
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let hook = json!({"url": receiver.url, "events": ["messages.chat.received"]});
    let hook = text(&world.admin(Call::post(&path).json(&hook)).await.expect(201), "id");
    world.admin(Call::post(format!("{path}/{hook}/test"))).await.expect(202);
    let line = connect(world, &world.org, "6140").await;
    let hook = json!({"url": receiver.url, "events": ["messages.chat.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    world.admin(Call::post(&path).json(&hook)).await.expect(201);
    world.notify(&line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
}

/// A delivery waits in its queue for longer than it should, whatever the sweep adds to the queue.
async fn left_in_queue(world: &mut World, is_patient: bool) {
    let wait = Duration::from_millis(if is_patient { 400 } else { 0 });
    let receiver = Receiver::start(Arc::new(move |_, _| (wait, plain(200, ""))));
    event_of_a_webhook(world, &receiver).await;
    world.dispatch().await;
    if is_patient {
        // The first attempt shows that the receiver is slow.
        world.deliverer.prompt = wait / 4;
        world.deliver_from(&world.account.deliveries).await;
    }
    for minutes in [6, 7, 15] {
        later(world, minutes).await;
    }
}

/// The table throttles for half an hour: updates of the platform wait.
async fn throttled(world: &World) {
    let line = connect(world, &world.org, "6150").await;
    let body = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}})).to_string().into_bytes();
    let signed = signature(APP_SECRET, &body);
    let call = Call::post(NOTIFICATIONS).header("x-hub-signature-256", &signed).bytes(body);
    assert_eq!(world.notifications(Duration::ZERO).respond(call.request()).await.status(), 200);
    world.faults.set(Fault::TableDown(Outage::Throttling));
    for _ in 0..3 {
        world.clock.advance(MINUTE * 10);
        assert!(world.work().await, "the update is in the queue");
    }
    world.faults.clear();
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

/// A medium of a message cannot be fetched.
async fn unfetched(world: &World, line: &Line, n: usize) {
    world.platform.misbehave(&format!("/90{n}"), Misbehave::Status(401, error(190, "no").to_string()), 2);
    let image = json!({"id": format!("wamid.{n}"), "type": "image", "image": {"id": format!("90{n}"), "mime_type": "image/jpeg"}});
    world.notify(&line.message(&image)).await.expect(200);
    world.work_off().await;
}

/// The day passes; then profiles are checked.
async fn daily_check(world: &World) {
    world.clock.advance(DAY + MINUTE * 10);
    later(world, 0).await;
    world.work_off().await;
}
