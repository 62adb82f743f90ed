//! The samples of events are recorded from events of the running service, and are what test deliveries send.
//! `UPDATE_SAMPLES=1` records them again. Since they are part of the product, a second run of the tests regenerates what is
//! made from them, such as the payloads in events/payloads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::events::event::EventName;
use domain::port::Random;
use domain::{Mode, Timestamp};
use serde_json::{Map, Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::{Line, notification};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::sms::linked_number;
use tests::standin::template;
use tests::topics::{Topic, inbound};
use tests::{Call, Service as _, World};
use views::SampleOf;

const ACCOUNT: &str = "102290129340398";
const PLATFORM_NUMBER: &str = "106540352242922";
const OWN_NUMBER: &str = "+12015550100";
const OWN_SMS_NUMBER: &str = "+12015550101";
const CUSTOMER: &str = "12015550123";
const CUSTOMER_USER_ID: &str = "US.13491208655302741918";
const QUESTION: &str = "Is my parcel on its way?";
const ANSWER: &str = "Your order is on its way.";

/// Returns the same bytes in every run, so that the payloads do not change.
struct Counting;

impl Random for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for (byte, value) in bytes.iter_mut().zip(1_u8..) {
            *byte = value;
        }
    }
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn is_updating() -> bool {
    std::env::var("UPDATE_SAMPLES").is_ok()
}

fn data(kind: EventName, app: &str) -> Value {
    let organization = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().unwrap();
    let app = app.parse().unwrap();
    let now = Timestamp::parse("2026-11-21T10:00:00.000Z").unwrap();
    let data = SampleOf { organization: &organization, app: &app, now, random: &Counting }.data(kind).unwrap();
    serde_json::from_str(&data).unwrap()
}

fn payload(kind: EventName) -> Value {
    let app = "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    json!({
        "id": "evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "type": kind.as_str(), "createdAt": "2026-11-21T10:00:00.000Z",
        "organizationId": "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "appId": app, "mode": "live", "data": data(kind, app),
    })
}

/// What differs between two events of a kind is replaced by what the product fills in: identifiers, times, and the mode.
fn without_names(value: &Value, org: &str, app: &str) -> Value {
    let of_text = |text: &str| {
        if Timestamp::parse(text).is_some() {
            return "<now>".to_owned();
        }
        let named = text.replace(org, "<organization>").replace(app, "<app>");
        for prefix in ["msg_wa_", "msg_sms_", "wapn_", "ph_", "con_", "wabp_"] {
            let rest = named.strip_prefix(prefix).and_then(|rest| rest.get(27..));
            if let Some(rest) = rest {
                // The ids of business profiles look the same in both modes.
                let mode = if prefix == "wabp_" { "" } else { "[test_]" };
                return format!("{prefix}{mode}<ksuid>{rest}");
            }
        }
        named
    };
    match value {
        Value::String(text) => json!(of_text(text)),
        Value::Array(list) => list.iter().map(|value| without_names(value, org, app)).collect(),
        Value::Object(object) => {
            let field = |(name, value): (&String, &Value)| {
                let value = if name == "isTestProfile" { json!("<isTest>") } else { without_names(value, org, app) };
                (name.clone(), value)
            };
            Value::Object(object.iter().map(field).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Connects an account with one number that is assigned to the live app.
async fn connected(world: &World) -> Line {
    let org = world.org.clone();
    world.platform.account(ACCOUNT, &[(PLATFORM_NUMBER, &OWN_NUMBER[1..])]);
    world.platform.state().accounts.get_mut(ACCOUNT).unwrap().name = "Acme".to_owned();
    let profile = world.admin(Call::post(SIGNUP).json(&json!({"code": format!("code.{ACCOUNT}")}))).await.expect(201);
    let number = text(&profile["phoneNumbers"][0], "id");
    world.admin(Call::put(format!("/v1/organization/apps/{}/phone-numbers/{number}", org.app))).await.expect(200);
    Line {
        org,
        account: ACCOUNT.to_owned(),
        platform_number: PLATFORM_NUMBER.to_owned(),
        display: OWN_NUMBER[1..].to_owned(),
        profile: text(&profile, "id"),
        number,
    }
}

/// A customer writes, changes the name, and is removed from the contacts.
async fn hear_customer(world: &World, line: &Line) {
    for (n, name) in ["Ann", "Ann Lee"].into_iter().enumerate() {
        let contact =
            json!({"profile": {"name": name, "username": "ann"}, "wa_id": CUSTOMER, "user_id": CUSTOMER_USER_ID});
        let message = json!({"id": format!("wamid.HBgLM{n}"), "from": CUSTOMER, "from_user_id": CUSTOMER_USER_ID,
            "timestamp": (2_000_000_000 + n).to_string(), "type": "text", "text": {"body": QUESTION}});
        let parts = json!({"contacts": [contact], "messages": [message]});
        // The first event of a kind is the earliest.
        world.clock.advance(Duration::from_secs(1));
        world.notify(&line.about("messages", &parts)).await.expect(200);
    }
    let removed = json!({"type": "contact", "action": "remove", "metadata": {"timestamp": "2000000010"},
        "contact": {"full_name": "Ann Lee", "phone_number": CUSTOMER}});
    world.notify(&line.about("smb_app_state_sync", &json!({"state_sync": [removed]}))).await.expect(200);
}

/// One message is read, and another one fails.
async fn send_chat(world: &World, line: &Line) {
    let body = json!({"from": line.number, "to": format!("+{CUSTOMER}"), "type": "text", "text": {"body": ANSWER},
        "clientReference": "order-7"});
    let errors = json!([{"code": 131_026, "title": "Message undeliverable", "message": "Message undeliverable",
        "error_data": {"details": "Message Undeliverable."}}]);
    for statuses in [&["sent", "delivered", "read"][..], &["failed"]] {
        let sent = world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)).await.expect(201);
        for (n, name) in statuses.iter().enumerate() {
            let mut status = json!({"id": sent["providerMessageId"], "status": name, "timestamp": (2_000_000_001 + n).to_string(),
                "recipient_id": CUSTOMER, "recipient_user_id": CUSTOMER_USER_ID,
                "biz_opaque_callback_data": format!("{}:{}", line.org.id, text(&sent, "id"))});
            if *name == "failed" {
                status["errors"] = errors.clone();
            }
            world.notify(&line.status(&status)).await.expect(200);
        }
        world.clock.advance(Duration::from_secs(10));
    }
}

async fn send_sms(world: &World) {
    linked_number(world, OWN_SMS_NUMBER).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    topic.publish(&inbound(&format!("+{CUSTOMER}"), OWN_SMS_NUMBER, QUESTION, "in-1")).await;
    let body =
        json!({"from": OWN_SMS_NUMBER, "to": format!("+{CUSTOMER}"), "text": ANSWER, "clientReference": "order-7"});
    for results in [
        &[("SENT", "Message has been sent"), ("DELIVERED", "Message has been accepted by phone")][..],
        &[("UNREACHABLE", "Phone is currently unreachable/unavailable")],
    ] {
        let sent = world.send(Call::post("/v1/sms").key(&world.org.app_key).json(&body)).await.expect(201);
        for (n, (result, description)) in results.iter().enumerate() {
            let receipt = json!({"eventType": format!("TEXT_{result}"), "eventTimestamp": 2_000_000_001_000_i64 + n as i64,
                "isFinal": *result != "SENT", "originationPhoneNumber": OWN_SMS_NUMBER,
                "destinationPhoneNumber": format!("+{CUSTOMER}"), "messageStatus": result,
                "messageStatusDescription": description, "totalMessageParts": 1, "totalMessagePrice": 0.00581,
                "totalCarrierFee": 0.003, "context": {"organization": world.org.id, "message": sent["id"]}});
            topic.publish(&receipt).await;
            while world.hear_carrier().await {}
        }
    }
}

/// A template is submitted, approved, paused and deleted.
async fn follow_template(world: &World, line: &Line) {
    let mut pending = template("1407680676729941", "order_update");
    pending["status"] = json!("PENDING");
    pending["parameter_format"] = json!("POSITIONAL");
    world.platform.state().accounts.get_mut(ACCOUNT).unwrap().templates = vec![pending];
    let sync = json!({"chatBusinessProfileId": line.profile});
    let sync = Call::post("/v1/organization/chat/templates/sync").json(&sync);
    world.with_worker(world.admin(sync)).await.expect(200);
    for (n, event) in ["APPROVED", "PAUSED", "DELETED"].into_iter().enumerate() {
        let value = json!({"event": event, "message_template_id": 1_407_680_676_729_941_i64,
            "message_template_name": "order_update", "message_template_language": "en_US", "reason": "NONE"});
        let told = notification(ACCOUNT, 2_000_000_020 + n as i64, "message_template_status_update", &value);
        world.notify(&told).await.expect(200);
    }
}

/// Every event, caused by a real change and delivered to a webhook of the live app: the first of its kind.
async fn real_events(world: &World) -> BTreeMap<String, Value> {
    let receiver = Receiver::start(status(204));
    let all: Vec<&str> = EventName::ALL.iter().map(|event| event.as_str()).collect();
    let hook = json!({"url": receiver.url, "events": all});
    world.send(Call::post("/v1/webhooks").key(&world.org.app_key).json(&hook)).await.expect(201);
    let line = connected(world).await;
    // First: the clock that the others advance is not that of the carrier's topic.
    Box::pin(send_sms(world)).await;
    hear_customer(world, &line).await;
    send_chat(world, &line).await;
    Box::pin(follow_template(world, &line)).await;
    let removal = json!({"event": "PARTNER_REMOVED", "waba_info": {"waba_id": ACCOUNT}});
    world.notify(&notification(ACCOUNT, 2_000_000_030, "account_update", &removal)).await.expect(200);
    world.send_events().await;
    let mut first = BTreeMap::new();
    let mut got: Vec<Value> = receiver.got().iter().map(tests::receiver::Got::json).collect();
    got.sort_by_key(|event| (text(event, "createdAt"), text(event, "id")));
    for event in got {
        first.entry(text(&event, "type")).or_insert(event);
    }
    first
}

/// Each sample has the fields and values of a real event, except for identifiers and times.
#[tokio::test]
async fn the_samples_are_recorded_from_real_events() {
    let world = World::with_local_webhooks().await;
    let real = Box::pin(real_events(&world)).await;
    let all: Vec<&str> = EventName::ALL.iter().map(|event| event.as_str()).collect();
    let mut caused: Vec<&str> = real.keys().map(String::as_str).collect();
    caused.sort_by_key(|name| all.iter().position(|known| known == name));
    assert_eq!(caused, all);
    let org = (world.org.id.as_str(), world.org.app.as_str());
    for kind in EventName::ALL {
        let event = &real[kind.as_str()];
        let recorded = without_names(&event["data"], org.0, org.1);
        if is_updating() {
            let path = folder("../shared/views/src/samples").join(format!("{}.json", kind.as_str()));
            std::fs::write(path, format!("{}\n", serde_json::to_string_pretty(&recorded).unwrap())).unwrap();
            continue;
        }
        let sample = payload(*kind);
        let app = text(&sample, "appId");
        assert_eq!(without_names(&sample["data"], &text(&sample, "organizationId"), &app), recorded, "{kind:?}");
        let fields = |event: &Value| event.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!((fields(&sample), &sample["mode"]), (fields(event), &event["mode"]), "{kind:?}");
    }
}

/// The sample of a test app has the identifiers of test objects.
#[test]
fn the_samples_of_a_test_app_name_test_objects() {
    use domain::id::{ChatMessageId, ChatPhoneNumberId, PhoneNumberId, SmsMessageId};
    let app = "app_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let chat = data(EventName::MessagesChatRead, app);
    assert_eq!(text(&chat, "id").parse::<ChatMessageId>().unwrap().mode(), Mode::Test);
    assert_eq!(text(&chat, "chatPhoneNumberId").parse::<ChatPhoneNumberId>().unwrap().mode(), Mode::Test);
    assert_eq!(chat["appId"], app);
    let sms = data(EventName::MessagesSmsFailed, app);
    assert_eq!(text(&sms, "id").parse::<SmsMessageId>().unwrap().mode(), Mode::Test);
    assert_eq!(text(&sms, "phoneNumberId").parse::<PhoneNumberId>().unwrap().mode(), Mode::Test);
    let profile = data(EventName::ChatAccountConnected, app);
    assert_eq!((&profile["isTestProfile"], profile["phoneNumbers"].is_array()), (&json!(true), true));
    for kind in EventName::ALL {
        for (app, is_test) in [(app, true), ("app_0ujtsYcgvSTl8PAuAdqWYSMnLOv", false)] {
            let whole = data(*kind, app).to_string();
            assert!(!whole.contains('<') && !whole.contains("[test_]"), "{kind:?}: {whole}");
            assert!(is_test || !whole.contains("_test_"), "{kind:?}: {whole}");
        }
    }
}

/// The payloads in events/payloads are the bodies of test deliveries. `UPDATE_SAMPLES=1` regenerates them.
#[test]
fn every_event_has_its_sample_payload() {
    let folder = folder("../events/payloads");
    for kind in EventName::ALL {
        let path = folder.join(format!("{}.json", kind.as_str()));
        let wanted = format!("{}\n", serde_json::to_string_pretty(&payload(*kind)).unwrap());
        if is_updating() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &wanted).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", path.display()));
        assert_eq!(found, wanted, "{}", path.display());
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), EventName::ALL.len());
}
