//! Receipts and received messages of the carrier (docs/adr/0029-carrier-updates.md): topic -> queue -> worker.

mod outages;
mod receipts;
mod received;
mod rejected;
mod whole_way;

use std::collections::BTreeMap;

use domain::Mode;
use domain::id::{OrganizationId, PhoneNumberId, SmsMessageId};
use domain::identity::organization::MessageRetention;
use domain::message::{Direction, Outcome};
use domain::sms::SmsMessage;
use inbound::{CarrierUpdate, Reporter};
use ring::rand::SystemRandom;
use runtime::Metric;
use serde_json::{Value, json};
use store::{Change, Committed, SmsRecord, Stored, StoredSms};
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Service as _, World};

const OWN: &str = "+12065550150";
const RECIPIENT: &str = "+12065550171";
const CARRIER_ID: &str = "carrier-1";
/// When the first receipt of a message says that something happened.
const FIRST: i64 = 1_795_230_000_000;

/// A phone number of an organization.
struct Line {
    org: Organization,
    organization: OrganizationId,
    number: PhoneNumberId,
    own: String,
}

impl Line {
    /// A number that is assigned to the app of its mode.
    async fn new(world: &World, org: &Organization, own: &str, mode: Mode) -> Line {
        let (key, app) = match mode {
            Mode::Live => (&org.admin, &org.app),
            Mode::Test => (&org.test_admin, &org.test_app),
        };
        let body = json!({"number": own, "appIds": [app]});
        let made = world.send(Call::post("/v1/organization/phone-numbers").key(key).json(&body)).await.expect(201);
        let number = text(&made, "id").parse().unwrap();
        Line { org: org.clone(), organization: org.id.parse().unwrap(), number, own: own.to_owned() }
    }

    /// A live number that the carrier has for the organization.
    async fn linked(world: &World, org: &Organization, own: &str) -> Line {
        let line = Line::new(world, org, own, Mode::Live).await;
        world.carrier_account.buy(own, "US", &["SMS", "MMS"]);
        let link = json!({"operation": "linkPhoneNumber", "organizationId": org.id, "number": own});
        assert_eq!(text(&world.operate(link).await.unwrap(), "phoneNumberId"), line.number.to_string());
        line
    }

    /// A message that waits; its attempt has not begun.
    async fn waiting(&self, world: &World) -> StoredSms {
        let id = SmsMessageId::mint(self.number.mode(), world.now(), &SystemRandom::new());
        let (from, to) = (self.own.parse().unwrap(), RECIPIENT.parse().unwrap());
        let mut message = SmsMessage::blank(id, &self.number, Direction::Outbound, from, to, world.now());
        message.outcome = Some(Outcome::Pending.into());
        let stored = Stored::new(SmsRecord::new(message), MessageRetention::default());
        let mut change = Change::new(&self.organization);
        change.create_message(&stored).unwrap();
        assert!(matches!(world.account.store().commit(&change).await.unwrap(), Committed::Done));
        stored
    }

    /// A message whose attempt has begun. Its outcome is not known yet.
    async fn attempted(&self, world: &World) -> StoredSms {
        let waiting = self.waiting(world).await;
        let org = world.account.store().of(&self.organization);
        org.begin_attempt(&waiting, "attempt".to_owned(), world.now()).await.unwrap().unwrap()
    }

    /// The message as it is stored now.
    async fn read(&self, world: &World, message: &StoredSms) -> StoredSms {
        world.account.store().of(&self.organization).message(&message.message.id).await.unwrap().unwrap()
    }

    /// The carrier's response arrives.
    async fn respond(&self, world: &World, message: &StoredSms, respond: impl FnOnce(&mut StoredSms)) {
        let before = self.read(world, message).await;
        let mut after = before.clone();
        respond(&mut after);
        after.kept.revision += 1;
        let mut change = Change::new(&self.organization);
        change.update_message(&before, &after).unwrap();
        assert!(matches!(world.account.store().commit(&change).await.unwrap(), Committed::Done));
    }
}

/// A receipt of the message `seconds` after the first.
fn receipt(line: &Line, message: &StoredSms, result: &str, seconds: i64) -> Value {
    let context = json!({"organization": line.org.id, "message": message.message.id});
    receipt_about(&context, line, result, seconds)
}

/// A receipt of the message that was sent with this context.
fn receipt_about(context: &Value, line: &Line, result: &str, seconds: i64) -> Value {
    json!({
        "eventType": format!("TEXT_{result}"), "eventVersion": "1.0", "eventTimestamp": FIRST + seconds * 1000,
        "isFinal": !matches!(result, "QUEUED" | "PENDING" | "SENT"), "originationPhoneNumber": line.own,
        "destinationPhoneNumber": RECIPIENT, "isoCountryCode": "US", "messageId": CARRIER_ID,
        "messageRequestTimestamp": FIRST, "messageEncoding": "GSM", "messageType": "TRANSACTIONAL",
        "messageStatus": result, "messageStatusDescription": "…", "totalMessageParts": 2, "totalMessagePrice": 0.01162,
        "totalCarrierFee": 0.006, "context": context,
    })
}

/// Applies updates as the worker does, without their way through topic and queue.
async fn apply(world: &World, reporter: &Reporter, updates: &[Value]) {
    for update in updates {
        let update = CarrierUpdate { reporter: reporter.clone(), at: world.now(), text: update.to_string() };
        Box::pin(world.worker.inbox.apply_carrier_update(&update)).await.unwrap();
    }
}

/// Works off the queue of the carrier's updates.
async fn hear_all(world: &World) {
    while world.hear_carrier().await {}
}

/// The number of an organization's events of SMS that wait to be dispatched, by name.
async fn events(world: &World, org: &Organization) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in world.account.items().await {
        if item["PK"].starts_with(&format!("EVT#{}#", org.id)) && item["type"].starts_with("messages.sms.") {
            *counts.entry(item["type"].clone()).or_default() += 1;
        }
    }
    counts
}

/// The sum of a metric so far.
fn counted(world: &World, metric: Metric) -> u64 {
    let lines = world.metrics.json();
    lines.iter().filter_map(|line| line.get(metric.name())?.as_u64()).sum()
}
