//! Invalid input of any kind gets a 4xx response, never a 5xx. `param` names the part of the request that is wrong.
//! Invalid bodies change no data.

use api::gateway::{GatewayEvent, handle};
use lambda_http::{Context, LambdaEvent};
use serde_json::json;
use tests::catalogue::cases;
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

/// Bodies that every JSON operation rejects.
fn bad_bodies() -> Vec<(Vec<u8>, &'static str)> {
    let deep = [b"{\"name\":".repeat(5000), b"1".to_vec(), b"}".repeat(5000)].concat();
    vec![
        (b"{".to_vec(), "body"),
        (b"nonsense".to_vec(), "body"),
        (b"[]".to_vec(), "body"),
        (b"null".to_vec(), "body"),
        (b"\"text\"".to_vec(), "body"),
        (b"{} {}".to_vec(), "body"),
        (b"\xff\xfe{}".to_vec(), "body"),
        (b"\xef\xbb\xbf{}".to_vec(), "body"),
        (b"{\"name\":\"\\ud800\"}".to_vec(), "body"),
        (deep, "body"),
        (b"{\"x\":1,\"x\":2}".to_vec(), "x"),
    ]
}

#[tokio::test]
async fn bodies_that_are_no_json_object_are_refused_by_every_json_operation() {
    let world = World::new().await;
    let all = cases(&world).await;
    let before = world.account.items().await;
    let json_cases =
        all.iter().filter(|case| case.call.headers.get("content-type").is_some_and(|mime| mime == "application/json"));
    for case in json_cases {
        for (body, param) in bad_bodies() {
            let call = case.call.clone().key(case.right_key(&world.org)).bytes(body);
            world.send(call).await.refused(400, Some(param), None);
        }
        let call = || case.call.clone().key(case.right_key(&world.org));
        for mime in
            ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"]
        {
            world.send(call().header("content-type", mime)).await.refused(415, Some("Content-Type"), None);
        }
        world.send(call().bytes(vec![b' '; 300_000])).await.refused(413, None, None);
        let nested = json!({"name": {"a": {"b": []}}, "url": [[]], "number": {}, "fileName": [], "from": {}, "mediaRetentionDays": []});
        let reply = world.send(call().json(&nested)).await;
        assert_eq!(reply.status.as_u16(), 400, "{reply:?}");
    }
    assert_eq!(world.account.items().await, before);
}

#[tokio::test]
async fn an_operation_without_a_body_ignores_one() {
    let world = World::new().await;
    let document = contract::document();
    let mut bare = 0;
    for case in cases(&world).await {
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let mut call = case.call.clone().key(case.right_key(&world.org));
        if operation.get("requestBody").is_none() {
            call = call.header("content-type", "application/json").bytes("{\"x\":1,\"x\":2}");
            bare += 1;
        }
        let reply = world.send(call).await;
        assert_eq!(reply.status.as_u16(), case.status, "{case:?}: {reply:?}");
    }
    assert!(bare > 20, "{bare}");
}

#[tokio::test]
async fn json_needs_no_type_and_may_have_parameters() {
    let world = World::new().await;
    let call = || Call::post("/v1/organization/apps").bytes(br#"{"name":"x"}"#);
    world.admin(call()).await.expect(201);
    for mime in ["application/json;charset=UTF-8", "Application/JSON; charset=utf-8"] {
        world.admin(call().header("content-type", mime)).await.expect(201);
    }
}

#[tokio::test]
async fn hostile_strings_are_refused_or_kept_as_they_are() {
    let world = World::new().await;
    let huge = "x".repeat(200_000);
    for name in ["\u{0}", "a\u{0}b", "\u{1b}[31m", "a\r\nSet-Cookie: x", "\u{7f}", "\u{85}", " ", "", &huge] {
        world.admin(Call::post("/v1/organization/apps").json(&json!({"name": name}))).await.refused(
            400,
            Some("name"),
            None,
        );
    }
    for name in [
        "<script>alert(1)</script>",
        "'; DROP TABLE apps; --",
        "${jndi:ldap://x}",
        "{{7*7}}",
        "日本語 🎉",
        "#PK",
        "a\u{202e}b",
    ] {
        let made = world.admin(Call::post("/v1/organization/apps").json(&json!({"name": name}))).await.expect(201);
        assert_eq!(made["name"], json!(name));
    }
    let mut unknown = serde_json::Map::new();
    unknown.insert("name".to_owned(), json!("x"));
    unknown.insert(format!("{}\u{0}\n", "k".repeat(5000)), json!(1));
    let refused = world.admin(Call::post("/v1/organization/apps").json(&unknown.into())).await.expect(400);
    assert_eq!(refused["error"]["param"].as_str().unwrap().len(), 100);
}

#[tokio::test]
async fn path_ids_are_judged_as_they_came() {
    let world = World::new().await;
    for id in [
        "x",
        "%00",
        "%2F",
        "%25",
        "..%2f",
        "app_%30ujtsYcgvSTl8PAuAdqWYSMnLOv",
        "'",
        "%22",
        "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv%20",
        "*",
        "%F0%9F%8E%89",
        "%",
    ] {
        world.admin(Call::get(format!("/v1/organization/apps/{id}"))).await.refused(400, Some("appId"), None);
        world.admin(Call::delete(format!("/v1/organization/phone-numbers/{id}"))).await.refused(
            400,
            Some("phoneNumberId"),
            None,
        );
        let app = &world.org.app;
        world.admin(Call::get(format!("/v1/organization/apps/{app}/webhooks/{id}"))).await.refused(
            400,
            Some("webhookId"),
            None,
        );
    }
}

/// Requests in the gateway's event format, with decoded paths and original headers, through the runtime's own conversion.
#[tokio::test]
async fn events_of_the_gateway_never_end_in_a_5xx() {
    let world = World::new().await;
    let targets = [
        "/v1/organization/apps/a b",
        "/v1/organization/apps/\"",
        "/v1/organization/apps/\u{0}",
        "/v1/organization/apps/é",
        "/v1/organization/apps/a?b",
        "/v1/organization/apps/#",
        "/v1/organization/apps/..",
        "/v1/organization/apps/%",
        "/v1/organization/apps/%zz",
        "/v1/organization/apps/<>",
        "/v1/organization/apps/\\",
        "/v1/organization/apps/{appId}",
        "/v1/media/../../etc",
        "",
        "/",
        "no-slash",
        "/v1/organization/apps/a/b/c",
        "/v1/media/a/b",
    ];
    for path in targets {
        for query in [
            "",
            "limit=\"",
            "limit=1 ",
            "cursor=\u{0}",
            "cursor=%00",
            "limit=%",
            "&&&==",
            "é",
            "limit=1&limit=2",
            "x=1",
        ] {
            let event = json!({
                "version": "2.0", "rawPath": path, "rawQueryString": query,
                "headers": {"authorization": format!("Bearer {}", world.org.admin), "host": "a b", "x-odd": "\u{1}", "cookie": "é"},
                "requestContext": {"stage": "$default", "requestId": "id-1", "http": {"method": "GET", "path": path}},
                "isBase64Encoded": false,
            });
            let event: GatewayEvent = serde_json::from_value(event).unwrap();
            let api = world.api(path);
            let reply = handle(api, LambdaEvent::new(event, Context::default())).await.unwrap();
            let reply = serde_json::to_value(reply).unwrap();
            assert_eq!((&reply["headers"]["x-request-id"], &reply["isBase64Encoded"]), (&json!("id-1"), &json!(false)));
            let status = reply["statusCode"].as_u64().unwrap();
            if ["", "/"].contains(&path) {
                // The root URL redirects to the reference.
                assert_eq!(status, 302, "{path}?{query}");
                continue;
            }
            let body: serde_json::Value = serde_json::from_str(&text(&reply, "body")).unwrap();
            assert!((400..500).contains(&status) && body["error"].is_object(), "{path}?{query}: {status} {body}");
        }
    }
}

#[tokio::test]
async fn query_parameters_are_judged() {
    let world = World::new().await;
    for (query, param) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("limit=", "limit"),
        ("limit=-1", "limit"),
        ("limit=1.5", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=+5", "limit"),
        ("cursor=", "cursor"),
        ("cursor=x", "cursor"),
        ("cursor=%00", "cursor"),
        ("cursor=%F0%9F%8E%89", "cursor"),
        ("limit=1&limit=2", "limit"),
        ("page=2", "page"),
        ("Limit=2", "Limit"),
    ] {
        for list in ["admin-keys", "phone-numbers", "apps"] {
            world.admin(Call::get(format!("/v1/organization/{list}?{query}"))).await.refused(400, Some(param), None);
        }
    }
}

/// Missing parameters come first, then wrong ones, then unknown ones, in whatever order they are sent.
#[tokio::test]
async fn query_parameters_have_an_order_of_errors() {
    let world = World::new().await;
    let (templates, messages) = ("/v1/organization/chat/templates", "/v1/organization/chat/messages");
    let hook = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    let hooks = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let hook = tests::request::text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");
    let deliveries = format!("{hooks}/{hook}/deliveries");
    let profile = "chatBusinessProfileId=wabp_x";
    for (path, query, param) in [
        (templates, "page=2&limit=0&cursor=x".to_owned(), "chatBusinessProfileId"),
        (messages, "page=2&limit=0".to_owned(), "chatPhoneNumberId"),
        (templates, format!("page=2&limit=0&{profile}"), "limit"),
        (templates, format!("page=2&cursor=x&{profile}"), "cursor"),
        (templates, "page=2&chatBusinessProfileId=x".to_owned(), "chatBusinessProfileId"),
        (templates, format!("page=2&{profile}"), "page"),
        ("/v1/organization/apps", "page=2&limit=x".to_owned(), "limit"),
        ("/v1/organization/apps", "page=2&cursor=x".to_owned(), "cursor"),
        ("/v1/organization/apps", "page=2&limit=1&limit=2".to_owned(), "limit"),
        (&deliveries, "page=2&status=x".to_owned(), "status"),
        (&deliveries, "page=2&status=FAILED".to_owned(), "page"),
    ] {
        world.admin(Call::get(format!("{path}?{query}"))).await.refused(400, Some(param), None);
    }
}

/// A missing field comes before a wrong one, a wrong one before an unknown one.
#[tokio::test]
async fn fields_have_an_order_of_errors() {
    let (world, document) = (World::new().await, contract::document());
    for case in cases(&world).await {
        let Ok(body) = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&case.call.body) else {
            continue;
        };
        let required = document["paths"][case.template][case.method().as_str().to_lowercase()]["requestBody"]
            ["content"]["application/json"]["schema"]["$ref"]
            .as_str()
            .map(|name| name.rsplit('/').next().unwrap().to_owned());
        let Some(name) = required else { continue };
        let required: Vec<&str> = document["components"]["schemas"][&name]["required"]
            .as_array()
            .map(|names| names.iter().map(|name| name.as_str().unwrap()).collect())
            .unwrap_or_default();
        let call = |body: &serde_json::Map<String, serde_json::Value>| {
            case.call.clone().key(case.right_key(&world.org)).json(&json!(body))
        };
        for missing in &required {
            let mut wrong = body.clone();
            wrong.remove(*missing);
            wrong.values_mut().for_each(|value| *value = json!({"x": []}));
            wrong.insert("unheardOf".to_owned(), json!(1));
            world.send(call(&wrong)).await.refused(400, Some(missing), None);
        }
        let mut unknown = body.clone();
        unknown.insert("unheardOf".to_owned(), json!(1));
        let refused = world.send(call(&unknown)).await.refused(400, Some("unheardOf"), None);
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("\"unheardOf\" is not a field of this operation. Allowed: "), "{message}");
        if let Some(field) = body.keys().next() {
            unknown[field] = json!([[1]]);
            let refused = world.send(call(&unknown)).await.expect(400);
            let (param, message) = (&refused["error"]["param"], refused["error"]["message"].as_str().unwrap());
            assert!(param.as_str().unwrap().starts_with(field), "{refused}");
            assert!(message.starts_with(&format!("{} must be ", param.as_str().unwrap())), "{refused}");
        }
    }
}

#[tokio::test]
async fn broken_multipart_bodies_are_refused() {
    let world = World::new().await;
    let good = Call::post("/v1/media").key(&world.org.app_key).file("a.png", Some("image/png"), PNG);
    for cut in (1..good.body.len()).step_by(7) {
        let reply = world.send(good.clone().bytes(&good.body[..cut])).await;
        assert_eq!(reply.status.as_u16(), 400, "cut at {cut}: {reply:?}");
    }
    for mime in [
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"",
        "multipart/mixed; boundary=edge",
        "multipart",
    ] {
        let reply = world.send(good.clone().header("content-type", mime)).await;
        assert!(matches!(reply.status.as_u16(), 400 | 415), "{mime}: {reply:?}");
    }
    for name in ["../../x", "a\u{202e}b.png", "x".repeat(5000).as_str(), "", "C:\\x.png"] {
        let made = world.send(Call::post("/v1/media").key(&world.org.app_key).file(name, None, PNG)).await.expect(201);
        let kept = made["fileName"].as_str().unwrap();
        assert!(!kept.contains(['/', '\\', '\u{202e}']) && kept.chars().count() <= 255 && !kept.is_empty(), "{kept}");
    }
    assert_eq!(world.account.objects().await.len(), 5);
}
