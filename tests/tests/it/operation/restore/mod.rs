//! The reconciliation of a restored table, on a copy made by the emulator's point-in-time recovery. tools/operate/test_restore.py
//! tests a whole restoration of a deployed stack.

mod members;

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use operate::{Credentials, Objects, Options, Tables, reconcile};
use serde_json::json;
use store::Store;
use store::keys::{Key, KeyClass};
use store::maintenance::{Items, Maintenance, miscounts};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::samples::PNG;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

const COPY: &str = "copy";
const PROVING: [KeyClass; 5] =
    [KeyClass::Credential, KeyClass::AdminKey, KeyClass::App, KeyClass::AppKey, KeyClass::Webhook];

/// Restores the table as it is now to a copy. Later changes are after the restore point.
async fn recover(world: &World) {
    let call = world.account.dynamodb.restore_table_to_point_in_time().source_table_name(TABLE);
    call.target_table_name(COPY).use_latest_restorable_time(true).send().await.unwrap();
}

fn options(world: &World, credentials: Credentials) -> Options {
    Options {
        table: COPY.to_owned(),
        bucket: world.account.bucket.clone(),
        credentials,
        old_table: Some(TABLE.to_owned()),
        previous_table: Some(TABLE.to_owned()),
        keep: BTreeSet::new(),
        delete_objects: false,
        dry_run: false,
    }
}

/// Returns the number of steps and the report.
async fn run(world: &World, options: &Options) -> (usize, String) {
    let table = |name: &str| Maintenance::new(world.account.dynamodb.clone(), name);
    let old = (options.credentials == Credentials::AsInOldTable).then(|| table(TABLE));
    let objects = Objects::new(&world.account.connection, &world.account.bucket);
    let mut output = Vec::new();
    let previous = options.previous_table.as_deref().map(table);
    let tables = Tables { restored: table(COPY), old, previous };
    let steps = reconcile(options, tables, &objects, &mut output).await.unwrap();
    (steps, String::from_utf8(output).unwrap())
}

async fn items(world: &World, table: &str, classes: &[KeyClass]) -> Items {
    Maintenance::new(world.account.dynamodb.clone(), table).scan(classes).await.unwrap()
}

async fn keys(world: &World, table: &str) -> BTreeSet<Key> {
    items(world, table, &PROVING).await.keys().cloned().collect()
}

/// Returns whether a webhook has one of the places for webhooks that listen to events of the organization.
async fn listens_to_organization(world: &World, table: &str) -> bool {
    let key = [("PK", format!("ORG#{}", world.org.id)), ("SK", "COUNT".to_owned())];
    let key = key.map(|(name, value)| (name.to_owned(), AttributeValue::S(value))).into();
    let call = world.account.dynamodb.get_item().table_name(table).set_key(Some(key)).consistent_read(true);
    call.send().await.unwrap().item.unwrap().contains_key("organizationWebhooks")
}

#[tokio::test]
async fn credentials_deleted_since_the_restore_point_stay_invalid() {
    let world = World::new().await;
    let app = format!("/v1/organization/apps/{}", world.org.app);
    let admin_key =
        world.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": "A"}))).await.expect(201);
    let app_key = world.admin(Call::post(format!("{app}/keys"))).await.expect(201);
    let hook = json!({"url": "https://example.com/", "events": ["templates.chat.created"]});
    let hook = world.admin(Call::post(format!("{app}/webhooks")).json(&hook)).await.expect(201);
    let doomed = world.app(&world.org.admin, &json!({"name": "Doomed", "test": true})).await.0;
    let session = json!({"operation": "createSession", "organizationId": world.org.id});
    let session = text(&world.operate(session).await.unwrap(), "sessionToken");
    recover(&world).await;
    assert!(listens_to_organization(&world, COPY).await);
    let whole = keys(&world, COPY).await;
    for path in [
        format!("/v1/organization/admin-keys/{}", text(&admin_key, "id")),
        format!("{app}/keys/{}", text(&app_key, "id")),
        format!("{app}/webhooks/{}", text(&hook, "id")),
        format!("/v1/organization/apps/{doomed}"),
    ] {
        world.admin(Call::delete(path)).await.expect(200);
    }
    world.operate(json!({"operation": "revokeSession", "sessionToken": session})).await.unwrap();
    let lost = world.admin(Call::post(format!("{app}/keys"))).await.expect(201);
    let mut options = options(&world, Credentials::AsInOldTable);

    options.dry_run = true;
    let (planned, report) = run(&world, &options).await;
    assert!(report.contains(&format!("would revoke app key {}", text(&app_key, "id"))), "{report}");
    assert_eq!(keys(&world, COPY).await, whole, "a dry run changes nothing");
    options.keep = BTreeSet::from([text(&app_key, "id"), doomed.clone()]);
    let (_, report) = run(&world, &options).await;
    assert!(!report.contains("revoke app key") && !report.contains("remove app"), "{report}");

    (options.dry_run, options.keep) = (false, BTreeSet::new());
    let (steps, report) = run(&world, &options).await;
    assert_eq!(steps, planned, "{report}");
    assert!(report.contains(&format!("remove app {doomed} with its 1 keys and 0 webhooks")), "{report}");
    assert!(report.contains(&format!("      {} of {}", text(&lost, "id"), world.org.id)), "{report}");
    let (old, restored) = (keys(&world, TABLE).await, keys(&world, COPY).await);
    assert!(restored.is_subset(&old));
    // The key that was created since then, and its credential.
    assert_eq!(old.difference(&restored).count(), 2);
    let sessions = async |table| items(&world, table, &[KeyClass::Session]).await.keys().cloned().collect::<Vec<_>>();
    assert_eq!(sessions(COPY).await, sessions(TABLE).await, "the revoked session is not listed either");
    assert!(!listens_to_organization(&world, COPY).await, "the removed webhook's place is free");
    let (steps, report) = run(&world, &options).await;
    assert_eq!(steps, 0, "{report}");
}

#[tokio::test]
async fn counters_are_set_to_the_number_of_items() {
    let world = World::new().await;
    let upload = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 100});
    world.send(Call::post("/v1/media/uploads").key(&world.org.app_key).json(&upload)).await.expect(201);
    for (attribute, key) in [
        ("apps", (format!("ORG#{}", world.org.id), "COUNT".to_owned())),
        ("uploads", (format!("RATE#{}#{}", world.org.id, world.org.app), "PENDING".to_owned())),
    ] {
        world.account.set_counter(key, attribute, 99).await;
    }
    recover(&world).await;
    let (steps, report) = run(&world, &options(&world, Credentials::KeepAll)).await;
    assert_eq!(steps, 2, "{report}");
    assert!(report.contains(&format!("set apps of {} from 99 to 1", world.org.id)), "{report}");
    assert!(report.contains(&format!("set uploads of {} from 99 to 1", world.org.id)), "{report}");
    let counted = items(&world, COPY, KeyClass::ALL).await;
    assert!(miscounts(&counted).unwrap().is_empty());
}

/// The API's own counters match the number of objects.
#[tokio::test]
async fn nothing_is_miscounted_that_the_api_has_counted() {
    let world = World::new().await;
    for case in tests::catalogue::cases(&world).await {
        world.send(case.call.clone().key(case.right_key(world.org()))).await;
    }
    let items = items(&world, TABLE, KeyClass::ALL).await;
    let wrong = miscounts(&items).unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[tokio::test]
async fn without_the_table_before_everything_that_proves_is_revoked() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let hook = json!({"url": "https://example.com/", "events": ["messages.sms.sent"]});
    let hook = world.admin(Call::post(path).json(&hook)).await.expect(201);
    recover(&world).await;
    let (_, report) = run(&world, &options(&world, Credentials::RevokeAll)).await;
    let left: BTreeSet<KeyClass> = keys(&world, COPY).await.iter().filter_map(Key::class).collect();
    assert_eq!(left, BTreeSet::from([KeyClass::App, KeyClass::Webhook]), "{report}");
    let copy = Store::new(world.account.dynamodb.clone(), COPY);
    let (o, app) = (world.org.id.parse().unwrap(), world.org.app.parse().unwrap());
    let (hook, _) = copy.of(&o).webhook_with_secrets(&app, &text(&hook, "id").parse().unwrap()).await.unwrap();
    assert!(hook.disabled_at.is_some() && hook.revision == 2);
}

#[tokio::test]
async fn a_signing_secret_that_was_rotated_since_is_kept() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let hook = json!({"url": "https://example.com/", "events": ["messages.sms.sent"], "headers": {"X-A": "b"}});
    let hook = text(&world.admin(Call::post(&path).json(&hook)).await.expect(201), "id");
    recover(&world).await;
    let rotate = Call::post(format!("{path}/{hook}/rotate-secret")).json(&json!({"gracePeriodSeconds": 600}));
    let secret = text(&world.admin(rotate).await.expect(200), "secret");
    let (steps, report) = run(&world, &options(&world, Credentials::AsInOldTable)).await;
    assert_eq!(steps, 1, "{report}");
    let (o, app) = (world.org.id.parse().unwrap(), world.org.app.parse().unwrap());
    let copy = Store::new(world.account.dynamodb.clone(), COPY);
    let (_, secrets) = copy.of(&o).webhook_with_secrets(&app, &hook.parse().unwrap()).await.unwrap();
    assert_eq!(secrets.signing_secret, secret);
    assert!(secrets.previous_secret.is_some() && secrets.previous_until.is_some());
    assert_eq!(secrets.headers["X-A"], "b");
}

#[tokio::test]
async fn media_and_bytes_are_brought_together() {
    let world = World::new().await;
    let upload = async || {
        let call = Call::post("/v1/media").key(&world.org.app_key).file("a.png", Some("image/png"), PNG);
        text(&world.send(call).await.expect(201), "id")
    };
    let (kept, deleted, without_bytes) = (upload().await, upload().await, upload().await);
    recover(&world).await;
    let orphan = upload().await;
    world.send(Call::delete(format!("/v1/media/{deleted}")).key(&world.org.app_key)).await.expect(200);
    let object = |id: &str| format!("media/{}/{id}", world.org.id);
    world.account.s3.delete_object().bucket(&world.account.bucket).key(object(&without_bytes)).send().await.unwrap();
    let mut options = options(&world, Credentials::AsInOldTable);
    let (_, report) = run(&world, &options).await;
    assert!(report.contains(&format!("hide {without_bytes}: its bytes are gone")), "{report}");
    assert!(report.contains(&format!("hide {deleted}: ")) && !report.contains(&kept), "{report}");
    assert!(report.contains("Objects without an item: 1") && report.contains(&object(&orphan)), "{report}");
    assert!(world.account.objects().await.contains(&object(&orphan)));
    (options.credentials, options.delete_objects) = (Credentials::AlreadyJudged, true);
    let (steps, report) = run(&world, &options).await;
    assert_eq!((steps, report.contains("delete these 1 objects")), (1, true), "{report}");
    assert_eq!(world.account.objects().await, [object(&kept)]);
}

/// Replaces the content of the table by that of the copy, as if the functions used the copy now.
async fn move_to_copy(world: &World) {
    for item in world.account.stored_items().await {
        world.account.remove_item(&item).await;
    }
    let copied = world.account.dynamodb.scan().table_name(COPY).consistent_read(true).send().await.unwrap();
    for item in copied.items.unwrap() {
        world.account.store_item(item).await;
    }
}

fn keyed_send(line: &Line, key: &str) -> Call {
    let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hello"}});
    Call::post("/v1/chat/messages").key(&line.org.app_key).header("idempotency-key", key).json(&body)
}

/// A message that was sent since the restore point is lost, but a client that repeats its request does not send it again.
#[tokio::test]
async fn a_send_from_after_the_restore_point_is_not_repeated() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4601").await;
    let sends = || world.platform.seen(&format!("/{}/messages", line.platform_number)).len();
    let before = world.send(keyed_send(&line, "before")).await.expect(201);
    recover(&world).await;
    world.send(keyed_send(&line, "since")).await.expect(201);
    let app =
        world.admin(Call::post("/v1/organization/apps").header("idempotency-key", "app").json(&json!({"name": "A"})));
    app.await.expect(201);
    let mut options = options(&world, Credentials::AsInOldTable);
    options.dry_run = true;
    let (planned, report) = run(&world, &options).await;
    assert!(report.contains("would keep the Idempotency-Keys of 1 messages"), "{report}");
    options.dry_run = false;
    let (steps, report) = run(&world, &options).await;
    assert_eq!((steps, planned), (1, 1), "{report}");
    assert_eq!(run(&world, &options).await.0, 0, "running it again changes nothing");

    move_to_copy(&world).await;
    world.send(keyed_send(&line, "since")).await.refused(410, Some("Idempotency-Key"), None);
    let replayed = world.send(keyed_send(&line, "before")).await;
    assert_eq!(text(&replayed.expect(200), "id"), text(&before, "id"));
    assert_eq!(sends(), 2, "one before and one since the restore point");
    world.send(keyed_send(&line, "new")).await.expect(201);
    // What has its whole effect in the table is carried out again: the effect is lost.
    let app =
        world.admin(Call::post("/v1/organization/apps").header("idempotency-key", "app").json(&json!({"name": "A"})));
    assert_eq!(app.await.expect(201)["name"], "A");
}
