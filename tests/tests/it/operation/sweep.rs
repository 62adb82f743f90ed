//! The sweep's tasks: expired media, abandoned uploads and signups, and deleted apps.

use std::time::Duration;

use delivery::Swept;
use serde_json::json;
use tests::catalogue::{SIGNUP, uploaded};
use tests::chat::{connect, event_counts};
use tests::faults::Fault;
use tests::request::text;
use tests::samples::PNG;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

const DAY: Duration = Duration::from_secs(86_400);

async fn classes(world: &World, class: &str) -> usize {
    world.account.items().await.iter().filter(|item| item["PK"].starts_with(class)).count()
}

#[tokio::test]
async fn media_past_their_end_leave_nothing() {
    let world = World::new().await;
    let upload = Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, PNG);
    world.send(upload).await.expect(201);
    let pending = uploaded(&world).await;
    assert_eq!((classes(&world, "MEDIA#").await, world.account.objects().await.len()), (2, 2));
    assert_eq!(world.sweep().await, Swept::default());
    // An upload that is never completed is abandoned after its window.
    world.clock.advance(Duration::from_secs(21 * 60));
    world.sweep().await;
    assert_eq!((classes(&world, "MEDIA#").await, world.account.objects().await.len()), (1, 1));
    let complete = Call::post(format!("/v1/media/{pending}/complete")).key(&world.org.app_key);
    world.send(complete).await.refused(404, Some("mediaId"), None);
    world.clock.advance(30 * DAY);
    world.sweep().await;
    assert_eq!((classes(&world, "MEDIA#").await, world.account.objects().await.len()), (0, 0));
}

/// Whatever step an upload stops after, the sweep finds everything that it left behind.
#[tokio::test]
async fn an_upload_that_stopped_anywhere_leaves_nothing() {
    let world = World::new().await;
    let mut stops = 0;
    for step in 0.. {
        world.faults.set(Fault::StoppedAfter(step));
        let upload = Call::post("/v1/media").key(&world.org.app_key).file("a.png", None, PNG);
        let whole = tokio::select! {
            reply = world.send(upload) => Some(reply.expect(201)),
            () = world.faults.struck() => None,
        };
        world.faults.clear();
        if whole.is_some() {
            break;
        }
        stops += 1;
        world.clock.advance(Duration::from_secs(3600));
        world.sweep().await;
        // Media that became ready just before the stop is ordinary media and is removed when it expires.
        world.clock.advance(31 * DAY);
        world.sweep().await;
        assert_eq!((classes(&world, "MEDIA#").await, world.account.objects().await.len()), (0, 0), "step {step}");
    }
    assert!(stops > 2, "{stops}");
}

#[tokio::test]
async fn media_of_users_are_deleted_after_their_retention() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1301").await;
    world.platform.state().media.insert("900".to_owned(), b"bytes".to_vec());
    let image = json!({"id": "wamid.1", "type": "image", "image": {"id": "900", "mime_type": "image/jpeg"}});
    world.platform.misbehave("/900", Misbehave::Status(429, error(4, "too many").to_string()), 4);
    world.notify(&line.message(&image)).await.expect(200);
    world.work_off().await;
    assert!(line.only_message(&world).await.get("mediaUrl").is_none());
    // The sweep retries until the platform delivers the media.
    world.platform.state().misbehave.clear();
    world.clock.advance(Duration::from_secs(16 * 60));
    world.sweep().await;
    world.work_off().await;
    assert!(line.only_message(&world).await["mediaUrl"].is_string());
    assert_eq!(world.account.objects().await.len(), 1);
    world.clock.advance(31 * DAY);
    world.sweep().await;
    assert_eq!(world.account.objects().await.len(), 0);
    assert_eq!(world.sweep().await, Swept::default(), "it is due no more");
    // After a week, the sweep gives up.
    world.notify(&line.message(&json!({"id": "wamid.2", "type": "image", "image": {"id": "900"}}))).await.expect(200);
    world.clock.advance(8 * DAY);
    world.sweep().await;
    world.index_caught_up().await;
    assert_eq!(world.sweep().await, Swept::default());
}

/// A token without a profile is deleted after a day; a profile's token never is.
#[tokio::test]
async fn the_token_of_an_abandoned_signup_is_discarded() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "1302").await;
    world.platform.account("1303", &[]);
    world.platform.misbehave("/1303", Misbehave::Status(400, error(100, "no access").to_string()), 4);
    let signup = Call::post(SIGNUP).json(&json!({"code": "code.1303"}));
    world.admin(signup.clone()).await.refused(422, Some("wabaId"), Some("platform_api_error"));
    let kept = async || {
        let listed = world.account.secrets.list_secrets().send().await.unwrap();
        let names = listed.secret_list().iter().filter_map(|secret| secret.name().map(str::to_owned));
        names.filter(|name| name.starts_with("profiles/")).collect::<Vec<_>>()
    };
    assert_eq!(kept().await.len(), 2);
    world.clock.advance(DAY + Duration::from_secs(60));
    world.sweep().await;
    assert_eq!(kept().await, [format!("profiles/{}", line.profile)]);
    assert_eq!(classes(&world, "ONB#").await, 1, "that of the finished signup");
    // A new signup needs another code, because this one is used.
    world.admin(signup).await.refused(422, Some("code"), Some("platform_api_error"));
}

/// The sweep removes the objects that an interrupted app deletion left behind.
#[tokio::test]
async fn the_remains_of_a_deleted_app_are_cleared() {
    let world = World::new().await;
    let app = format!("/v1/organization/apps/{}", world.org.app);
    let number = json!({"number": "+12015550100", "appIds": [world.org.app]});
    let number = text(&world.admin(Call::post("/v1/organization/phone-numbers").json(&number)).await.expect(201), "id");
    let hook = json!({"url": "https://example.com", "events": ["chat.account.connected"]});
    world.admin(Call::post(format!("{app}/webhooks")).json(&hook)).await.expect(201);
    assert_eq!(classes(&world, "HOOKS#").await, 1);
    for step in 3..30 {
        world.faults.set(Fault::StoppedAfter(step));
        let is_whole = tokio::select! {
            _ = world.admin(Call::delete(&app)) => true,
            () = world.faults.struck() => false,
        };
        world.faults.clear();
        if is_whole || classes(&world, "GONE#").await == 1 {
            break;
        }
    }
    // Until they are deleted, they are not visible and cause no deliveries.
    assert_eq!((classes(&world, "GONE#").await, classes(&world, "HOOKS#").await), (1, 1));
    let shown = world.admin(Call::get(format!("/v1/organization/phone-numbers/{number}"))).await.expect(200);
    assert_eq!(shown["apps"], json!([]));
    world.platform.account("1304", &[]);
    world.admin(Call::post(SIGNUP).json(&json!({"code": "code.1304"}))).await.expect(201);
    assert_eq!(event_counts(&world, &world.org).await["chat.account.connected"], 1);
    world.dispatch().await;
    assert_eq!((world.waiting_events().await.len(), classes(&world, "DLV#").await), (0, 0));

    world.clock.advance(Duration::from_secs(60));
    world.sweep().await;
    assert_eq!((classes(&world, "GONE#").await, classes(&world, "HOOKS#").await), (0, 0));
    let shown = world.admin(Call::get(format!("/v1/organization/phone-numbers/{number}"))).await.expect(200);
    assert_eq!(shown["apps"], json!([]));
    let item = world.account.items().await.into_iter().find(|item| item["PK"].starts_with("NUM#")).unwrap();
    assert!(!item.contains_key("apps"));
}

/// The deletion of a test app stops after its transaction. The sweep removes its simulated number from the app that shared it.
#[tokio::test]
async fn a_deleted_number_is_cleared_from_the_apps_that_shared_it() {
    let world = World::new().await;
    let (app, _) = world.app(&world.org.admin, &json!({"name": "Short-lived", "test": true})).await;
    let page = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let own = page["data"].as_array().unwrap().iter().find(|number| number["apps"][0]["appId"] == app.as_str());
    let own = text(own.unwrap(), "id");
    let share = format!("/v1/organization/apps/{}/phone-numbers/{own}", world.org.test_app);
    world.admin(Call::put(share)).await.expect(200);
    let has_it = async || {
        let items = world.account.items().await;
        items
            .iter()
            .any(|item| item["PK"].starts_with("APP#") && item.get("numbers").is_some_and(|ids| ids.contains(&own)))
    };
    for step in 3..30 {
        world.faults.set(Fault::StoppedAfter(step));
        tokio::select! {
            _ = world.admin(Call::delete(format!("/v1/organization/apps/{app}"))) => panic!("it did not stop"),
            () = world.faults.struck() => {}
        }
        world.faults.clear();
        if classes(&world, "GONE#").await == 1 {
            break;
        }
    }
    assert!(has_it().await);
    assert_eq!((classes(&world, "WAPN#").await, classes(&world, "PPNSIM#").await), (1, 1));
    world.clock.advance(Duration::from_secs(60));
    world.sweep().await;
    assert!(!has_it().await);
    assert_eq!(classes(&world, "GONE#").await, 0);
}

/// A deletion takes the app off its chat numbers, and the sweep does so if the deletion stopped after its transaction.
#[tokio::test]
async fn a_deleted_app_is_taken_off_its_chat_numbers() {
    for stops in [false, true] {
        let world = World::new().await;
        let line = connect(&world, &world.org, "1306").await;
        let app = format!("/v1/organization/apps/{}", world.org.app);
        if !stops {
            world.admin(Call::delete(&app)).await.expect(200);
        }
        for step in 3..30 {
            if !stops || classes(&world, "GONE#").await == 1 {
                break;
            }
            world.faults.set(Fault::StoppedAfter(step));
            tokio::select! {
                _ = world.admin(Call::delete(&app)) => panic!("it did not stop"),
                () = world.faults.struck() => {}
            }
            world.faults.clear();
        }
        let has_apps = async || {
            let items = world.account.items().await;
            items.iter().any(|item| {
                item["PK"].starts_with("WAPN#") && item["SK"].ends_with(&line.number[5..]) && item.contains_key("apps")
            })
        };
        assert_eq!(has_apps().await, stops);
        world.clock.advance(Duration::from_secs(60));
        world.sweep().await;
        assert!(!has_apps().await);
        assert_eq!(classes(&world, "GONE#").await, 0);
    }
}
