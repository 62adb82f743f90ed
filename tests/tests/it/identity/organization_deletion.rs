//! The deletion of an organization, by the content of the table, the bucket and the secrets afterwards.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::catalogue::{PROFILES, SIGNUP};
use tests::chat::{Line, connect};
use tests::faults::Fault;
use tests::sms::linked_number;
use tests::standin::{Misbehave, Seen, error};
use tests::world::Organization;
use tests::{Call, Service as _, World};

const SETTLING: Duration = Duration::from_secs(15 * 60);
/// Classes of items that end by themselves, as the receipt says, or are kept.
const ENDING: &[&str] = &[
    "EVT#", "FEED#", "FEEDREF#", "DLV#", "IDEM#", "RATE#", "SEEN#", "ONB#", "ERASE#", "ORGREQ#", "PACE#", "SIM#",
    "HEALTH#",
];

fn delete(world: &World, confirm: &str) -> Value {
    json!({"operation": "deleteOrganization", "organizationId": world.org.id, "confirm": confirm})
}

async fn items_naming(world: &World, organization: &str) -> Vec<BTreeMap<String, String>> {
    let items = world.account.items().await.into_iter();
    items.filter(|item| item.values().any(|value| value.contains(organization))).collect()
}

/// The items that name an organization and neither end by themselves nor are kept.
async fn lasting(world: &World, organization: &str) -> Vec<BTreeMap<String, String>> {
    let items = items_naming(world, organization).await.into_iter();
    let items = items.filter(|item| ENDING.iter().all(|class| !item["PK"].starts_with(class)));
    // When an account was released stays with the account, as the receipt says.
    let mut items: Vec<_> = items.filter(|item| item["SK"] != "RELEASED").collect();
    for item in &mut items {
        // The daily check of an account may take place meanwhile.
        item.remove("dueAt");
    }
    items
}

/// The keys of what is left of the world's organization.
async fn left(world: &World) -> Vec<String> {
    let items = lasting(world, &world.org.id).await.into_iter();
    items.map(|item| format!("{} {}", item["PK"], item["SK"])).collect()
}

/// Gives the organization something of every kind.
async fn furnish(world: &World, org: &Organization, account: &str) -> Line {
    let line = connect(world, org, account).await;
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());
    for (id, kind) in [("in", "text"), ("image", "image")] {
        let message = json!({"id": format!("wamid.{account}.{id}"), "type": kind, "text": {"body": "Hello"},
            "image": {"id": "900", "mime_type": "image/jpeg"}});
        world.notify(&line.message(&message)).await.expect(200);
    }
    let status =
        json!({"id": "wamid.elsewhere", "status": "sent", "timestamp": "2000000001", "recipient_id": "16505559999"});
    world.notify(&line.status(&status)).await.expect(200);
    let known = json!({"type": "contact", "action": "add", "contact": {"phone_number": "16505550077", "full_name": "Bob"},
        "metadata": {"timestamp": 2_000_000_010}});
    world.notify(&line.about("smb_app_state_sync", &json!({"state_sync": [known]}))).await.expect(200);
    let create = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    world.send(Call::post("/v1/chat/groups").key(&org.app_key).json(&create)).await.expect(201);
    let request = format!("request-{}", world.platform.seen("groups").len());
    let made =
        json!({"type": "group_create", "timestamp": 2_000_000_000, "request_id": request, "group_id": "group-1"});
    world.notify(&line.about("group_lifecycle_update", &json!({"groups": [made]}))).await.expect(200);
    let simulated = json!({"code": "code", "wabaId": format!("{account}9"), "test": true});
    world.send(Call::post(SIGNUP).key(&org.admin).json(&simulated)).await.expect(201);
    let status = json!({"event": "APPROVED", "message_template_id": 7, "message_template_name": "t",
        "message_template_language": "en"});
    let template = tests::chat::notification(account, 2_000_000_000, "message_template_status_update", &status);
    world.notify(&template).await.expect(200);
    world.work_off().await;
    let hook = json!({"url": "https://example.com", "events": ["chat.account.disconnected"]});
    world
        .send(Call::post(format!("/v1/organization/apps/{}/webhooks", org.app)).key(&org.admin).json(&hook))
        .await
        .expect(201);
    let link = json!({"successUrl": "https://example.com/done", "failureUrl": "https://example.com/failed"});
    world.send(Call::post("/v1/organization/chat/onboarding-links").key(&org.admin).json(&link)).await.expect(201);
    let add = json!({"number": "+12015550199", "appIds": [org.app]});
    world.send(Call::post("/v1/organization/phone-numbers").key(&org.admin).json(&add)).await.expect(201);
    let chat = json!({"from": "+16505551234", "type": "text", "profileName": "Ann", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(&org.test_app_key).json(&chat)).await.expect(201);
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&org.test_app_key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(&org.test_app_key).json(&sms)).await.expect(201);
    line
}

/// Also if it is only scheduled for deletion.
async fn secret_exists(world: &World, line: &Line) -> bool {
    let secret = world.account.secrets.describe_secret().secret_id(format!("profiles/{}", line.profile));
    secret.send().await.is_ok()
}

/// The requests that ended the subscription of an account.
fn endings(world: &World, account: &str) -> Vec<Seen> {
    let seen = world.platform.seen(&format!("{account}/subscribed_apps")).into_iter();
    seen.filter(|seen| seen.method == "DELETE").collect()
}

/// Repeats the request as the operator's program does.
async fn finish(world: &World) -> Value {
    for _ in 0..60 {
        let reply = world.operate(delete(world, "acme")).await.unwrap();
        if reply["status"] == "DONE" {
            return reply;
        }
        world.sweep().await;
        world.work_off().await;
        world.clock.advance(Duration::from_secs(60));
    }
    panic!("the deletion does not end: {:?}", left(world).await);
}

#[tokio::test]
async fn nothing_is_left_of_a_deleted_organization_and_others_stay() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let others = furnish(&world, &other, "4302").await;
    let line = furnish(&world, &world.org, "4301").await;
    tests::catalogue::uploaded(&world).await;
    linked_number(&world, "+12015550100").await;
    world.send_events().await;
    let untouched = lasting(&world, &other.id).await;
    assert!(left(&world).await.len() > 30 && secret_exists(&world, &line).await);

    let refused = world.operate(delete(&world, "other")).await.unwrap_err();
    assert!(refused.starts_with("confirm: "), "{refused}");
    let begun = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!(begun["status"], "RUNNING");
    assert!(begun["accessEndedAt"].is_string() && begun["notBefore"].is_string(), "{begun}");
    let org = &world.org;
    for (path, key) in [
        ("/v1/organization/settings", &org.admin),
        ("/v1/organization/settings", &org.test_admin),
        ("/v1/organization/settings", &org.session),
        ("/v1/chat/groups", &org.app_key),
        ("/v1/playground/phone-numbers/system", &org.test_app_key),
    ] {
        world.send(Call::get(path).key(key)).await.expect(401);
    }
    for operation in ["createAdminKey", "createSession"] {
        let refused = world.operate(json!({"operation": operation, "organizationId": org.id})).await.unwrap_err();
        assert!(refused.starts_with("organizationId: "), "{refused}");
    }
    let receipt = finish(&world).await;
    assert_eq!(left(&world).await, Vec::<String>::new());
    let mut deleted = receipt["deleted"].clone();
    for (name, least) in [("templates", 1), ("chatPhoneNumbers", 2), ("media", 2)] {
        assert!(deleted[name].as_u64() >= Some(least), "{deleted}");
        deleted[name] = json!(null);
    }
    let expected = json!({"apps": 2, "phoneNumbers": 2, "chatBusinessProfiles": 3, "chatPhoneNumbers": null,
        "templates": null, "groups": 1, "messages": 5, "media": null});
    assert_eq!(deleted, expected);
    assert!(!secret_exists(&world, &line).await && secret_exists(&world, &others).await);
    let [ended] = &endings(&world, "4301")[..] else { panic!("one request ends the subscription") };
    assert_eq!(
        (ended.path.as_str(), ended.headers["authorization"].as_str()),
        ("/4301/subscribed_apps", "Bearer token-4301")
    );
    assert!(endings(&world, "4302").is_empty() && receipt.get("stillConnected").is_none());
    let files = world.account.objects().await;
    assert!(!files.is_empty() && files.iter().all(|key| key.contains(&other.id)), "{files:?}");
    assert_eq!(lasting(&world, &other.id).await, untouched);
    assert_eq!(world.operate(delete(&world, "acme")).await.unwrap(), receipt, "repeating returns the receipt");
    assert_eq!(world.carrier_account.state().opt_out_lists.len(), 1, "who opted out is still kept");

    // What the platform still sends leads to no organization, and another one can connect the account and use the slug.
    let late = json!({"id": "wamid.late", "type": "text", "text": {"body": "Hello"}});
    world.notify(&line.message(&late)).await.expect(200);
    assert_eq!(left(&world).await, Vec::<String>::new());
    world.platform.state().spent_codes.clear();
    connect(&world, &other, "4301").await;
    world.operate(json!({"operation": "createOrganization", "name": "Acme"})).await.unwrap();
    assert!(world.dead_letters().await.is_empty());
}

#[tokio::test]
async fn a_deletion_is_finished_after_any_interruption() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    furnish(&world, &other, "4304").await;
    let line = furnish(&world, &world.org, "4303").await;
    let untouched = lasting(&world, &other.id).await;
    let mut kills = 0;
    for step in (1..).step_by(7) {
        world.faults.set(Fault::StoppedAfter(step));
        let was_stopped = tokio::select! {
            _ = world.operate(delete(&world, "acme")) => false,
            () = world.faults.struck() => true,
        };
        world.faults.clear();
        if !was_stopped {
            break;
        }
        kills += 1;
        // The lease of a disconnection that was interrupted ends.
        world.clock.advance(Duration::from_secs(61));
    }
    assert!(kills > 5, "{kills} kills");
    world.clock.advance(SETTLING);
    // Clears what an interrupted deletion of an app has left.
    world.sweep().await;
    finish(&world).await;
    assert_eq!(left(&world).await, Vec::<String>::new());
    assert!(!secret_exists(&world, &line).await);
    assert_eq!(lasting(&world, &other.id).await, untouched);
}

/// A failure of the platform delays the end of the deletion, and nothing but the account waits for it.
#[tokio::test]
async fn a_platform_that_fails_is_called_again() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4305").await;
    let down = Misbehave::Status(500, error(2, "down").to_string());
    world.platform.misbehave("4305/subscribed_apps", down, 1000);
    for minutes in [0, 1, 16] {
        world.clock.advance(Duration::from_secs(60 * minutes));
        let reply = world.operate(delete(&world, "acme")).await.unwrap();
        assert_eq!((&reply["status"], &reply["stillConnected"]), (&json!("RUNNING"), &json!(["4305"])), "{reply}");
    }
    let left = left(&world).await;
    let of_class = |class: &str| left.iter().filter(|key| key.starts_with(class)).count();
    assert!(of_class("WABA#") == 1 && of_class("WABP#") > 0 && of_class("DISC#") > 0, "{left:?}");
    for gone in ["MSG#", "SMS#", "APP#", "AKEY#", "MEDIA#", "GRP#"] {
        assert_eq!(of_class(gone), 0, "{gone}: {left:?}");
    }
    assert!(secret_exists(&world, &line).await);
    world.platform.state().misbehave.clear();
    let before = endings(&world, "4305").len();
    finish(&world).await;
    assert_eq!(endings(&world, "4305").len(), before + 1);
    assert_eq!(self::left(&world).await, Vec::<String>::new());
    assert!(!secret_exists(&world, &line).await);
}

#[tokio::test]
async fn a_platform_that_fails_for_a_day_does_not_keep_an_organization() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4306").await;
    let down = Misbehave::Status(500, error(2, "down").to_string());
    world.platform.misbehave("4306/subscribed_apps", down, 10_000);
    world.operate(delete(&world, "acme")).await.unwrap();
    world.clock.advance(Duration::from_secs(24 * 3600 - 60));
    let reply = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!(reply["stillConnected"], json!(["4306"]));
    assert!(secret_exists(&world, &line).await);
    world.clock.advance(Duration::from_secs(120));
    let calls = endings(&world, "4306").len();
    let receipt = finish(&world).await;
    assert!(endings(&world, "4306").len() > calls && receipt.get("stillConnected").is_none(), "{receipt}");
    assert_eq!(left(&world).await, Vec::<String>::new());
    assert!(!secret_exists(&world, &line).await);
}

/// A token that the platform no longer accepts can end no subscription.
#[tokio::test]
async fn a_rejection_of_the_platform_delays_nothing() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4307").await;
    let revoked = Misbehave::Status(400, error(190, "revoked").to_string());
    world.platform.misbehave("4307/subscribed_apps", revoked, 1000);
    let reply = world.operate(delete(&world, "acme")).await.unwrap();
    assert!(reply.get("stillConnected").is_none(), "{reply}");
    assert!(!secret_exists(&world, &line).await);
    finish(&world).await;
    assert_eq!(left(&world).await, Vec::<String>::new());
}

/// An account that its organization has disconnected leaves nothing behind either.
#[tokio::test]
async fn a_disconnected_account_is_deleted_too() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4308").await;
    world.admin(Call::delete(format!("{PROFILES}/{}", line.profile))).await.expect(200);
    assert_eq!(endings(&world, "4308").len(), 1);
    finish(&world).await;
    assert_eq!(left(&world).await, Vec::<String>::new());
    assert_eq!(endings(&world, "4308").len(), 1, "it is not disconnected again");
}

/// However much there is, an invocation does a bounded part of it.
#[tokio::test]
async fn a_large_organization_takes_several_invocations() {
    let world = World::new().await;
    let apps = Call::post("/v1/organization/apps");
    for n in 0..45 {
        world.admin(apps.clone().json(&json!({"name": format!("App {n}")}))).await.expect(201);
    }
    world.faults.calls();
    let begun = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!((&begun["status"], &begun["deleted"]["apps"]), (&json!("RUNNING"), &json!(47)));
    assert!(world.faults.calls().len() < 600);
    world.clock.advance(SETTLING);
    assert_eq!(finish(&world).await["status"], "DONE");
    assert_eq!(left(&world).await, Vec::<String>::new());
}

/// Damages an item of a partition, so that it cannot be read. Returns it as it was.
async fn break_item(world: &World, partition: &str) -> HashMap<String, AttributeValue> {
    let items = world.account.stored_items().await.into_iter();
    let mut found = items.filter(|item| item["PK"].as_s().unwrap().starts_with(partition));
    let item = found.next().unwrap_or_else(|| panic!("no item of {partition}"));
    let mut broken = item.clone();
    broken.insert("createdAt".to_owned(), AttributeValue::S("?".to_owned()));
    world.account.store_item(broken).await;
    item
}

fn failed_steps(reply: &Value) -> Vec<&str> {
    reply["failed"].as_array().into_iter().flatten().map(|failed| failed["step"].as_str().unwrap()).collect()
}

/// The credentials of every kind are deleted first: each call of the first steps fails in turn, and only what it was to
/// delete stays.
#[tokio::test]
async fn no_failure_keeps_credentials_of_another_kind() {
    let mut failed = BTreeSet::new();
    for calls in 0.. {
        let world = World::new().await;
        let (_, token) = tests::catalogue::onboarding_link(&world).await;
        world.faults.set(Fault::FailsAfter(calls));
        let Ok(reply) = world.operate(delete(&world, "acme")).await else { continue };
        world.faults.clear();
        let steps = failed_steps(&reply);
        let org = &world.org;
        for (step, path, key) in [
            ("adminKeys", "/v1/organization/settings", &org.admin),
            ("adminKeys", "/v1/organization/settings", &org.test_admin),
            ("sessions", "/v1/organization/settings", &org.session),
            ("appKeys", "/v1/chat/groups", &org.app_key),
            ("appKeys", "/v1/playground/phone-numbers/system", &org.test_app_key),
            ("onboardingLinks", "/v1/onboarding", &token),
        ] {
            if !steps.contains(&step) {
                world.send(Call::get(path).key(key)).await.expect(401);
            }
        }
        let of_credentials = ["adminKeys", "appKeys", "sessions", "onboardingLinks"];
        let access_ended = !steps.iter().any(|step| of_credentials.contains(step));
        assert_eq!(reply["accessEndedAt"].is_string(), access_ended, "{calls}: {reply}");
        failed.extend(steps.iter().map(|step| (*step).to_owned()));
        if !access_ended {
            continue;
        }
        if of_credentials.iter().all(|step| failed.contains(*step)) {
            return;
        }
        assert!(calls < 40, "{failed:?}");
    }
}

/// An item that cannot be deleted keeps nothing else, and the receipt names the step.
#[tokio::test]
async fn a_step_that_fails_keeps_no_other_step_from_running() {
    const CONVERSATIONS: [&str; 6] = ["MSG#", "SMS#", "CONTACT#", "CONTACTOF#", "GRP#", "MEDIA#"];
    for (class, mode, step, others) in [
        ("WABP", "#live", "accounts", &["APP#", "NUM#"][..]),
        ("WAPN", "#live", "accounts", &["APP#", "NUM#"]),
        ("NUM", "#live", "phoneNumbers", &["APP#", "WABP#", "WAPN#", "TPL#"]),
        ("GRP", "", "groups", &["APP#", "NUM#", "WABP#", "WAPN#", "TPL#"]),
        ("HOOK", "", "apps", &["NUM#", "WABP#", "WAPN#", "TPL#"]),
    ] {
        let world = World::new().await;
        furnish(&world, &world.org, "4310").await;
        tests::catalogue::uploaded(&world).await;
        let intact = break_item(&world, &format!("{class}#{}{mode}", world.org.id)).await;
        for _ in 0..2 {
            let reply = world.operate(delete(&world, "acme")).await.unwrap();
            assert_eq!((&reply["status"], failed_steps(&reply)), (&json!("RUNNING"), vec![step]), "{class}: {reply}");
            assert_eq!(reply["failed"][0]["reason"], "Something went wrong on our side.");
        }
        let left = left(&world).await;
        let is_expected = |key: &&String| {
            let gone = CONVERSATIONS.iter().chain(others).find(|class| key.starts_with(**class));
            gone.is_some_and(|gone| *gone != format!("{class}#"))
        };
        let remaining: Vec<_> = left.iter().filter(is_expected).collect();
        assert!(remaining.is_empty() && left.iter().any(|key| key.starts_with(class)), "{class}: {remaining:?}");
        assert_eq!(world.account.objects().await, Vec::<String>::new(), "{class}");
        world.account.store_item(intact).await;
        let receipt = finish(&world).await;
        assert!(receipt.get("failed").is_none(), "{receipt}");
        assert_eq!(self::left(&world).await, Vec::<String>::new(), "{class}");
    }
}

/// A message that cannot be erased keeps no other message of its number.
#[tokio::test]
async fn a_message_that_fails_keeps_no_other_message() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4311").await;
    for n in 0..60 {
        let message = json!({"id": format!("wamid.{n}"), "type": "text", "text": {"body": "Hello"}});
        world.notify(&line.message(&message)).await.expect(200);
    }
    break_item(&world, &format!("MSG#{}", world.org.id)).await;
    let reply = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!((failed_steps(&reply), &reply["deleted"]["messages"]), (vec!["messages"], &json!(59)), "{reply}");
}

/// The platform's notifications can name several templates by one name and language.
#[tokio::test]
async fn templates_with_the_same_name_and_language_are_deleted() {
    let world = World::new().await;
    connect(&world, &world.org, "4312").await;
    for id in 0..60 {
        let status = json!({"event": "APPROVED", "message_template_id": 1000 + id, "message_template_name": "t",
            "message_template_language": "en"});
        let told = tests::chat::notification("4312", 2_000_000_000, "message_template_status_update", &status);
        world.notify(&told).await.expect(200);
    }
    let receipt = finish(&world).await;
    assert_eq!(receipt["deleted"]["templates"], 60, "{receipt}");
    assert_eq!(left(&world).await, Vec::<String>::new());
}
