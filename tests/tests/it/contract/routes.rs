//! The router, the template and the annotations agree.

use std::collections::BTreeSet;
use std::path::Path;

use contract::{ROUTES, Route};
use http::Method;
use serde_json::{Value, json};
use tests::catalogue::cases;
use tests::{Call, Service as _, World};

use super::other_bodies::other_body;

type Operations = BTreeSet<(String, String, String)>;

fn table() -> Operations {
    let entry = |route: &Route| (route.function.to_owned(), route.method.to_string(), route.path.clone());
    ROUTES.iter().map(entry).collect()
}

#[test]
fn the_document_has_every_operation() {
    let document = contract::document();
    let mut documented = BTreeSet::new();
    for operation in contract::operations(&document) {
        documented.insert((operation.method.clone(), operation.path.to_owned()));
    }
    let expected: BTreeSet<_> = table().into_iter().map(|(_, method, path)| (method, path)).collect();
    assert_eq!(documented, expected);
}

/// `cargo run -p contract` regenerates the files.
#[test]
fn files_generated_from_the_code_are_committed() {
    for (path, content) in contract::files::tracked() {
        let found = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&path));
        assert!(found.is_ok_and(|found| found == content), "{path} is out of date: run `cargo run -p contract`");
    }
}

#[test]
fn every_operation_is_described() {
    let document = contract::document();
    for operation in contract::operations(&document) {
        let name = format!("{} {}", operation.method, operation.path);
        for field in ["operationId", "summary", "description"] {
            assert!(operation.value[field].as_str().is_some_and(|text| !text.is_empty()), "{name}: {field}");
        }
        for scheme in operation.value.get("security").and_then(Value::as_array).into_iter().flatten() {
            let schemes = &document["components"]["securitySchemes"];
            let is_known = scheme.as_object().unwrap().keys().all(|name| !schemes[name].is_null());
            assert!(is_known, "{name}: {scheme}");
        }
    }
}

#[test]
fn the_template_routes_every_operation_to_its_function() {
    let template = include_str!("../../../../infra/template.yaml");
    let mut routed = Operations::new();
    let mut default = None;
    for line in template.lines().filter(|line| line.contains("RouteKey:")) {
        let key = line.split('"').nth(1).unwrap();
        let function =
            line.split("integrations/${").nth(1).unwrap().split("Integration").next().unwrap().to_lowercase();
        match key.split_once(' ') {
            Some((method, path)) => {
                assert!(routed.insert((function, method.to_owned(), path.to_owned())), "{key} twice")
            }
            None => default = Some((key, function)),
        }
    }
    assert_eq!(routed, table());
    assert_eq!(default, Some(("$default", "reference".to_owned())));
}

/// The routes that need no credential, and `$default`, have a throttle of their own in the stage. docs/performance.md
/// gives the price of each, except of notifications, which have the limits of the whole stage.
#[test]
fn every_public_route_has_a_throttle_of_its_own() {
    let template = include_str!("../../../../infra/template.yaml");
    let prices = include_str!("../../../../docs/performance.md");
    let (_, stage) = template.split_once("\n  Stage:\n").unwrap();
    let (stage, _) = stage.split_once("\n\n").unwrap();
    let (_, settings) = stage.split_once("      RouteSettings:\n").unwrap();
    let mut throttled = BTreeSet::new();
    for line in settings.lines().filter(|line| line.starts_with("        \"")) {
        let key = line.split('"').nth(1).unwrap();
        throttled.insert(key.to_owned());
        let number = |name: &str| -> Option<u32> {
            line.split_once(name)?.1.split([',', ' ']).find(|text| !text.is_empty())?.parse().ok()
        };
        let limits = (number("ThrottlingRateLimit:"), number("ThrottlingBurstLimit:"));
        if let (Some(rate), Some(burst)) = limits {
            // The console's page loads several files at once, and colleagues may share an address.
            let most = if key.starts_with("GET /console") { 300 } else { 50 };
            assert!(rate <= 20 && burst <= most, "{key} is not low");
            assert!(prices.contains(&format!("| `{key}` | {rate} |")), "{key} has no price");
        } else {
            assert_eq!(key, "POST /v1/platform/notifications", "{limits:?}");
        }
    }
    let document = contract::document();
    let is_public = |operation: &contract::Operation<'_>| {
        let kinds = operation.value["security"].as_array().into_iter().flatten();
        kinds.filter(|kind| **kind != json!({})).count() == 0
    };
    let public = contract::operations(&document).filter(is_public);
    let mut public: BTreeSet<String> =
        public.map(|operation| format!("{} {}", operation.method, operation.path)).collect();
    public.insert("$default".to_owned());
    // Whoever has no link yet may try some.
    public.insert("GET /v1/sign-in/link".to_owned());
    assert_eq!(throttled, public);
}

/// Files with other names, and the console, which this installation does not have.
const NOT_FOUND: [&str; 4] = ["/api_reference/assets/asset", "/api_reference/page", "/console", "/console/file"];

#[tokio::test]
async fn the_routers_answer_exactly_the_table() {
    let world = World::new().await;
    for operation in ROUTES.iter() {
        let path = operation.path.replace(['{', '}'], "");
        let methods: BTreeSet<&Method> =
            ROUTES.iter().filter(|other| other.path == operation.path).map(|other| &other.method).collect();
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let status = world.send(Call::new(method.clone(), &path)).await.status.as_u16();
            let expected: &[u16] = if !methods.contains(&method) {
                &[405]
            } else if path == "/" {
                &[302]
            } else if NOT_FOUND.contains(&path.as_str()) {
                &[404]
            } else if operation.function == "reference" {
                &[200]
            } else if path == "/v1/platform/notifications" {
                &[401, 403]
            } else if ["/v1/sign-in", "/v1/sign-in/callback"].contains(&path.as_str()) {
                // To the sign-in page: this installation has no identity provider.
                &[303]
            } else if path == "/v1/sign-in/link" && method == Method::POST {
                // The link is in the body.
                &[400]
            } else {
                &[401]
            };
            // GET /v1/media/uploads is 405, although the gateway takes it for GET /v1/media/{mediaId}.
            assert!(expected.contains(&status), "{method} {path}: {status}");
        }
    }
}

#[test]
fn every_operation_has_a_sample_event() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../events");
    let mut sampled = Operations::new();
    for operation in ROUTES.iter() {
        let function = folder.join(operation.function);
        for file in std::fs::read_dir(&function).unwrap_or_else(|_| panic!("{}", function.display())) {
            let event = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let event: serde_json::Value = serde_json::from_str(&event).unwrap();
            let (method, path) = event["routeKey"].as_str().unwrap().split_once(' ').unwrap();
            sampled.insert((operation.function.to_owned(), method.to_owned(), path.to_owned()));
        }
    }
    assert_eq!(sampled, table());
}

/// Every operation documents the rules of its kind.
#[test]
fn repetition_pages_and_headers_are_documented_everywhere() {
    let document = contract::document();
    for operation in contract::operations(&document) {
        let id = operation.id();
        let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let names: BTreeSet<&str> = parameters
            .filter_map(|parameter| {
                parameter["name"].as_str().or_else(|| parameter["$ref"].as_str()?.rsplit('/').next())
            })
            .collect();
        // Signed by the platform; signing in uses a link up; and each key of a session is a new one.
        let never_the_same = ["platform.notifications.receive", "signIn.link.redeem", "session.createKey"];
        let is_repeatable = operation.method == "POST" && !never_the_same.contains(&id);
        assert_eq!(names.contains("IdempotencyKey"), is_repeatable, "{id}");
        let of_people = ["session", "sessionCookie", "signInLink"].map(|scheme| json!({scheme: []}));
        let schemes = operation.value["security"].as_array().into_iter().flatten();
        let takes_test_keys = schemes.clone().any(|scheme| !of_people.contains(scheme) && *scheme != json!({}));
        assert_eq!(names.contains("PlaygroundError"), takes_test_keys, "{id}");
        assert_eq!(operation.value["responses"].get("default").is_some(), takes_test_keys, "{id}");
        // These lists are short; the specification defines another format for those of numbers.
        let short = [
            "errors.list",
            "playground.scenarios.list",
            "playground.systemNumbers.list",
            "organization.playground.chat.userNumbers.list",
        ];
        // A feed goes on after a position, which outlives the pages of a list.
        let is_feed = ["organization.apps.events.list", "events.list"].contains(&id);
        assert_eq!(names.contains("limit") && names.contains("after"), is_feed, "{id}");
        let is_page = id.ends_with(".list") && !short.contains(&id) && !is_feed;
        assert_eq!(names.contains("limit") && names.contains("cursor"), is_page, "{id}");
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let reference = response["$ref"].as_str().map_or("", |reference| &reference[1..]);
            let response = document.pointer(reference).filter(|_| !reference.is_empty()).unwrap_or(response);
            let headers = response["headers"].as_object().unwrap();
            assert!(headers.contains_key("X-Request-Id"), "{id} {status}");
            assert_eq!(
                headers.contains_key("Retry-After"),
                ["409", "429", "503", "default"].contains(&status.as_str()),
                "{id} {status}"
            );
        }
    }
}

/// The gateway's own responses, which have another format and another request id, are documented too.
#[test]
fn responses_of_the_gateway_are_documented() {
    let document = contract::document();
    for operation in contract::operations(&document) {
        let id = operation.id();
        let responses = operation.value["responses"].as_object().unwrap();
        for status in ["413", "429", "500", "503"] {
            let Some(response) = responses.get(status) else {
                assert_eq!(status, "413", "{id}");
                continue;
            };
            let reference = response["$ref"].as_str().map_or("", |reference| &reference[1..]);
            let response = document.pointer(reference).filter(|_| !reference.is_empty()).unwrap_or(response);
            let schema = response.pointer("/content/application~1json/schema").unwrap();
            assert_eq!(*schema, json!({"$ref": "#/components/schemas/AnyErrorBody"}), "{id} {status}");
        }
        assert_eq!(responses.contains_key("413"), operation.value.get("requestBody").is_some(), "{id}");
    }
    let schemas = &document["components"]["schemas"];
    let gateways = json!({"$ref": "#/components/schemas/GatewayError"});
    assert!(schemas["AnyErrorBody"]["anyOf"].as_array().unwrap().contains(&gateways));
    assert_eq!(schemas["GatewayError"]["required"], json!(["message"]));
    let guide = document["info"]["description"].as_str().unwrap();
    let guide = guide.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in ["`apigw-requestid`", "10 MB (413)", "(429)", "6 MB", "(500)", "30 seconds (503)"] {
        assert!(guide.contains(told), "{told}");
    }
}

/// Every operation returns the errors of the rules for all operations: 400 for a `webhook-id` header, 413 and 415 for
/// the body, and 422 for a reused `Idempotency-Key`.
#[tokio::test]
async fn the_rules_for_all_operations_hold_for_each() {
    let world = World::new().await;
    let document = contract::document();
    for case in cases(&world).await {
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let call = || case.call.clone().key(case.right_key(&world.org));
        world.send(call().header("webhook-id", "evt_1")).await.refused(400, Some("webhook-id"), None);
        if operation.pointer("/requestBody/content/application~1json").is_none() {
            continue;
        }
        let typed = call().header("content-type", "text/plain");
        world.send(typed).await.refused(415, Some("Content-Type"), None);
        world.send(call().json(&json!({})).bytes(vec![b' '; 300_000])).await.refused(413, None, None);
        if case.is_repeatable() {
            let keyed = || call().header("idempotency-key", "rules");
            assert_eq!(world.send(keyed()).await.status.as_u16(), case.status, "{case:?}");
            let other = keyed().json(&other_body(case.template, &case.call.body));
            world.send(other).await.refused(422, Some("Idempotency-Key"), None);
        }
    }
    let bare = ROUTES.iter().filter(|operation| {
        ["reference", "notifications"].contains(&operation.function) || operation.path.starts_with("/v1/sign-in")
    });
    for operation in bare {
        world
            .send(
                Call::new(operation.method.clone(), operation.path.replace(['{', '}'], ""))
                    .header("webhook-id", "evt_1"),
            )
            .await
            .refused(400, Some("webhook-id"), None);
    }
}
