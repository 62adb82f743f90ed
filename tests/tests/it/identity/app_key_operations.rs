//! What an app key may do besides messages: webhooks, phone numbers and templates of its own app.

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::text;
use tests::standin::template;
use tests::{Call, Reply, Service as _, World};

const HOOKS: &str = "/v1/webhooks";
const NUMBERS: &str = "/v1/phone-numbers";
const ORGANIZATION_NUMBERS: &str = "/v1/organization/phone-numbers";
const NOT_ASSIGNED: &str = "phone_number_not_assigned";

async fn own(world: &World, call: Call) -> Reply {
    world.send(call.key(&world.org.app_key)).await
}

fn webhook() -> Value {
    json!({"url": "https://example.com/a", "events": ["messages.sms.sent"], "headers": {"X-Team": "blue"}})
}

/// Each operation of the app key, checked against the organization's view of the same webhook.
#[tokio::test]
async fn an_app_key_manages_the_webhooks_of_its_app() {
    let world = World::new().await;
    let of_organization = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let made = own(&world, Call::post(HOOKS).json(&webhook())).await.expect(201);
    assert_eq!(made["appId"], world.org.app.as_str());
    assert!(text(&made, "secret").starts_with("whsec_"));
    let id = text(&made, "id");
    let (hook, seen) = (format!("{HOOKS}/{id}"), format!("{of_organization}/{id}"));
    let mut shown = made.clone();
    shown.as_object_mut().unwrap().remove("secret");
    assert_eq!(own(&world, Call::get(&hook)).await.expect(200), shown);
    assert_eq!(world.admin(Call::get(&seen)).await.expect(200), shown);
    let list = own(&world, Call::get(HOOKS)).await.expect(200);
    assert_eq!(list, world.admin(Call::get(&of_organization)).await.expect(200));
    assert_eq!(list["data"], json!([shown]));
    let changed = own(&world, Call::put(&hook).json(&json!({"url": "https://example.com/b"}))).await.expect(200);
    assert_eq!((&changed["url"], &changed["events"]), (&json!("https://example.com/b"), &json!(["messages.sms.sent"])));
    assert_eq!(world.admin(Call::get(&seen)).await.expect(200), changed);
    let rotated = own(&world, Call::post(format!("{hook}/rotate-secret"))).await.expect(200);
    assert_ne!(rotated["secret"], made["secret"]);
    let delivery = own(&world, Call::post(format!("{hook}/test"))).await.expect(202);
    assert_eq!((&delivery["webhookId"], &delivery["status"]), (&json!(id), &json!("PENDING")));
    let log = own(&world, Call::get(format!("{hook}/deliveries?status=PENDING"))).await.expect(200);
    assert_eq!(log["data"], json!([delivery]));
    assert_eq!(log, world.admin(Call::get(format!("{seen}/deliveries?status=PENDING"))).await.expect(200));
    let again = format!("{hook}/deliveries/{}/redeliver", text(&delivery, "id"));
    assert_eq!(own(&world, Call::post(again)).await.expect(202)["id"], delivery["id"]);
    assert_eq!(own(&world, Call::delete(&hook)).await.expect(200), json!({"message": "Webhook deleted"}));
    world.admin(Call::get(&seen)).await.refused(404, Some("webhookId"), None);
}

#[tokio::test]
async fn webhooks_of_other_apps_are_unknown_to_an_app_key() {
    let world = World::new().await;
    let (_, second_key) = world.app(&world.org.admin, &json!({"name": "Second"})).await;
    let stranger = world.organization("Stranger").await;
    let made = own(&world, Call::post(HOOKS).json(&webhook())).await.expect(201);
    let hook = format!("{HOOKS}/{}", text(&made, "id"));
    let delivery = text(&own(&world, Call::post(format!("{hook}/test"))).await.expect(202), "id");
    let before = world.account.items().await;
    for key in [&second_key, &world.org.test_app_key, &stranger.app_key] {
        for call in [
            Call::get(&hook),
            Call::put(&hook).json(&json!({"events": ["messages.sms.sent"]})),
            Call::delete(&hook),
            Call::post(format!("{hook}/test")),
            Call::post(format!("{hook}/rotate-secret")),
            Call::get(format!("{hook}/deliveries")),
            Call::post(format!("{hook}/deliveries/{delivery}/redeliver")),
        ] {
            world.send(call.key(key)).await.refused(404, Some("webhookId"), None);
        }
        assert_eq!(world.send(Call::get(HOOKS).key(key)).await.expect(200)["data"], json!([]));
    }
    assert_eq!(world.account.items().await, before);
}

#[tokio::test]
async fn the_rules_of_webhooks_hold_for_app_keys() {
    let world = World::new().await;
    for (body, param) in [
        (json!({"url": "http://example.com", "events": ["messages.sms.sent"]}), "url"),
        (json!({"url": "https://example.com", "events": ["nothing"]}), "events[0]"),
        (json!({"url": "https://example.com"}), "events"),
        (json!({"url": "https://example.com", "events": ["messages.sms.sent"], "appId": world.org.app}), "appId"),
    ] {
        own(&world, Call::post(HOOKS).json(&body)).await.refused(400, Some(param), None);
    }
    let create = || Call::post(HOOKS).json(&webhook()).header("Idempotency-Key", "once");
    let made = own(&world, create()).await.expect(201);
    assert_eq!(own(&world, create()).await.expect(201), made);
    for _ in 1..20 {
        own(&world, Call::post(HOOKS).json(&webhook())).await.expect(201);
    }
    let full = own(&world, Call::post(HOOKS).json(&webhook())).await.refused(400, Some("webhooks"), None);
    assert!(full["error"]["message"].as_str().unwrap().contains("20"), "{full}");
}

async fn add_number(world: &World, body: &Value) -> String {
    text(&world.admin(Call::post(ORGANIZATION_NUMBERS).json(body)).await.expect(201), "id")
}

fn take(id: &str) -> Call {
    Call::post(NUMBERS).json(&json!({"phoneNumberId": id}))
}

#[tokio::test]
async fn an_app_takes_free_numbers_and_gives_them_back() {
    let world = World::new().await;
    let sms = add_number(&world, &json!({"number": "+12015550100"})).await;
    world.clock.advance(std::time::Duration::from_millis(1));
    let line = connect(&world, &world.org, "971").await;
    let assigned = format!("/v1/organization/apps/{}/phone-numbers/{}", world.org.app, line.number);
    world.admin(Call::delete(&assigned)).await.expect(200);
    assert_eq!(own(&world, Call::get(NUMBERS)).await.expect(200), json!({"data": [], "nextCursor": null}));

    let taken = own(&world, take(&sms)).await.expect(200);
    assert_eq!((&taken["kind"], &taken["number"]), (&json!("sms"), &json!("+12015550100")));
    assert_eq!(taken["apps"], json!([{"appId": world.org.app, "appName": "Live", "appSlug": "live"}]));
    let chat = own(&world, take(&line.number)).await.expect(200);
    assert_eq!((&chat["kind"], &chat["id"]), (&json!("chat"), &json!(line.number)));
    let before = world.account.items().await;
    assert_eq!(own(&world, take(&line.number)).await.expect(200), chat, "repeating changes nothing");
    assert_eq!(world.account.items().await, before);
    let admin = world.admin(Call::get(format!("{ORGANIZATION_NUMBERS}/{sms}"))).await.expect(200);
    let mut without_kind = taken.clone();
    without_kind.as_object_mut().unwrap().remove("kind");
    assert_eq!(admin, without_kind);
    // Newest first: the chat number was connected last.
    let page = own(&world, Call::get(format!("{NUMBERS}?limit=1"))).await.expect(200);
    assert_eq!(page["data"], json!([chat]));
    let next = format!("{NUMBERS}?limit=1&cursor={}", text(&page, "nextCursor"));
    let page = own(&world, Call::get(next)).await.expect(200);
    assert_eq!(page, json!({"data": [taken], "nextCursor": null}));

    for id in [&sms, &line.number] {
        let gone = json!({"message": "Phone number unassigned"});
        assert_eq!(own(&world, Call::delete(format!("{NUMBERS}/{id}"))).await.expect(200), gone);
        assert_eq!(own(&world, Call::delete(format!("{NUMBERS}/{id}"))).await.expect(200), gone, "repeated");
    }
    assert_eq!(own(&world, Call::get(NUMBERS)).await.expect(200)["data"], json!([]));
    // With an Idempotency-Key, the same response again, also after the number was given back.
    let once = || take(&sms).header("Idempotency-Key", "once");
    let first = own(&world, once()).await.expect(200);
    own(&world, Call::delete(format!("{NUMBERS}/{sms}"))).await.expect(200);
    assert_eq!(own(&world, once()).await.expect(200), first);
}

#[tokio::test]
async fn only_an_admin_key_shares_or_moves_a_number() {
    let world = World::new().await;
    let (second, second_key) = world.app(&world.org.admin, &json!({"name": "Second"})).await;
    let sms = add_number(&world, &json!({"number": "+12015550100", "appIds": [second]})).await;
    let (one, before) = (format!("{NUMBERS}/{sms}"), world.account.items().await);
    own(&world, take(&sms)).await.refused(403, Some("phoneNumberId"), Some(NOT_ASSIGNED));
    own(&world, Call::delete(&one)).await.refused(403, Some("phoneNumberId"), Some(NOT_ASSIGNED));
    assert_eq!(world.account.items().await, before);
    // A shared number belongs to both; each may leave.
    world.admin(Call::put(format!("/v1/organization/apps/{}/phone-numbers/{sms}", world.org.app))).await.expect(200);
    assert_eq!(own(&world, take(&sms)).await.expect(200)["apps"].as_array().unwrap().len(), 2);
    own(&world, Call::delete(&one)).await.expect(200);
    own(&world, take(&sms)).await.refused(403, Some("phoneNumberId"), Some(NOT_ASSIGNED));
    world.send(Call::delete(&one).key(&second_key)).await.expect(200);
    own(&world, take(&sms)).await.expect(200);
}

#[tokio::test]
async fn numbers_of_the_other_mode_and_of_others_do_not_exist_for_an_app_key() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let test = add_number(&world, &json!({"number": "+12015550100", "test": true})).await;
    let live = add_number(&world, &json!({"number": "+12015550101"})).await;
    let cases = [(&world.org.app_key, &test), (&world.org.test_app_key, &live), (&stranger.app_key, &live)];
    for (key, id) in cases {
        world.send(take(id).key(key)).await.refused(404, Some("phoneNumberId"), None);
        world.send(Call::delete(format!("{NUMBERS}/{id}")).key(key)).await.refused(404, Some("phoneNumberId"), None);
    }
    for body in [json!({}), json!({"phoneNumberId": "nope"}), json!({"phoneNumberId": world.org.app})] {
        own(&world, Call::post(NUMBERS).json(&body)).await.refused(400, Some("phoneNumberId"), None);
    }
    own(&world, Call::delete(format!("{NUMBERS}/nope"))).await.refused(400, Some("phoneNumberId"), None);
    world.send(take(&test).key(&world.org.test_app_key)).await.expect(200);
}

/// Ten apps ask for one number at once: one gets it.
#[tokio::test]
async fn one_of_many_apps_gets_a_free_number() {
    let world = World::new().await;
    let sms = add_number(&world, &json!({"number": "+12015550100"})).await;
    let mut keys = Vec::new();
    for n in 0..10 {
        keys.push(world.app(&world.org.admin, &json!({"name": format!("App {n}")})).await.1);
    }
    let asked = keys.iter().map(|key| world.send(take(&sms).key(key)));
    let replies = futures_util::future::join_all(asked).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    for reply in replies.into_iter().filter(|reply| reply.status != 200) {
        reply.refused(403, Some("phoneNumberId"), Some(NOT_ASSIGNED));
    }
    let shown = world.admin(Call::get(format!("{ORGANIZATION_NUMBERS}/{sms}"))).await.expect(200);
    assert_eq!(shown["apps"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_app_has_at_most_fifty_numbers() {
    let world = World::new().await;
    // No fictional numbers, of which the world's test app has some.
    for n in 0..50 {
        add_number(&world, &json!({"number": format!("+4915100000{n:02}"), "appIds": [world.org.app]})).await;
    }
    let one_more = add_number(&world, &json!({"number": "+4915100000100"})).await;
    own(&world, take(&one_more)).await.refused(400, Some("phoneNumberId"), None);
    let page = own(&world, Call::get(format!("{NUMBERS}?limit=100"))).await.expect(200);
    assert_eq!((page["data"].as_array().unwrap().len(), &page["nextCursor"]), (50, &Value::Null));
}

#[tokio::test]
async fn an_app_lists_the_templates_of_its_numbers() {
    let world = World::new().await;
    let lines = [connect(&world, &world.org, "972").await, connect(&world, &world.org, "973").await];
    let mut sent: Vec<Value> = (0..130).map(|n| template(&format!("{}", 1_000_000 + n), &format!("t_{n}"))).collect();
    for (n, language) in ["de", "en_US", "pt_BR"].into_iter().enumerate() {
        let mut greeting = template(&format!("{}", 2_000_000 + n), "greeting");
        greeting["language"] = json!(language);
        sent.push(greeting);
    }
    sent[0]["status"] = json!("PAUSED");
    sent[131]["status"] = json!("PAUSED");
    world.platform.state().accounts.get_mut("972").unwrap().templates = sent;
    let sync = json!({"chatBusinessProfileId": lines[0].profile});
    world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
    let walk = async |query: &str| {
        let (mut ids, mut pages, mut cursor) = (Vec::new(), 0, String::new());
        loop {
            let path = format!("/v1/chat/templates?chatPhoneNumberId={}{query}{cursor}", lines[0].number);
            let page = own(&world, Call::get(path)).await.expect(200);
            ids.extend(page["data"].as_array().unwrap().iter().map(|template| text(template, "id")));
            pages += 1;
            let Some(next) = page["nextCursor"].as_str() else { return (ids, pages) };
            cursor = format!("&cursor={next}");
        }
    };
    // Those that can be sent, unless `status` asks for others.
    let mut sendable: Vec<String> = (1..130).map(|n| (1_000_000 + n).to_string()).collect();
    sendable.extend(["2000000", "2000002"].map(str::to_owned));
    sendable.reverse();
    assert_eq!(walk("&limit=50").await, (sendable, 3));
    for limit in [1, 2, 3, 100] {
        assert_eq!(
            walk(&format!("&name=greeting&limit={limit}")).await.0,
            ["2000002", "2000000"],
            "by language, last first"
        );
        assert_eq!(walk(&format!("&name=greeting&status=APPROVED&limit={limit}")).await.0, ["2000002", "2000000"]);
        assert_eq!(walk(&format!("&status=PAUSED&limit={limit}")).await.0, ["2000001", "1000000"]);
    }
    assert_eq!(walk("&status=PAUSED&limit=100").await.1, 2, "a page looks at 100 templates");
    assert_eq!(walk("&name=greetin").await.0, Vec::<String>::new());
    let of_organization = format!("/v1/organization/chat/templates?chatBusinessProfileId={}&limit=1", lines[0].profile);
    let seen = world.admin(Call::get(of_organization)).await.expect(200)["data"].clone();
    let path = format!("/v1/chat/templates?chatPhoneNumberId={}&limit=1", lines[0].number);
    assert_eq!(own(&world, Call::get(path)).await.expect(200)["data"], seen);

    // Another number of the organization that the app does not have, another mode, another organization.
    let assigned = format!("/v1/organization/apps/{}/phone-numbers/{}", world.org.app, lines[1].number);
    world.admin(Call::delete(assigned)).await.expect(200);
    let stranger = world.organization("Stranger").await;
    for (key, number) in [
        (&world.org.app_key, &lines[1].number),
        (&world.org.test_app_key, &lines[0].number),
        (&stranger.app_key, &lines[0].number),
    ] {
        let path = format!("/v1/chat/templates?chatPhoneNumberId={number}");
        world.send(Call::get(path).key(key)).await.refused(404, Some("chatPhoneNumberId"), None);
    }
    own(&world, Call::get("/v1/chat/templates")).await.refused(400, Some("chatPhoneNumberId"), None);
    let path = format!("/v1/chat/templates?chatPhoneNumberId={}", lines[0].number);
    own(&world, Call::get(format!("{path}&name="))).await.refused(400, Some("name"), None);
    own(&world, Call::get(format!("{path}&language=de"))).await.refused(400, Some("language"), None);
}
