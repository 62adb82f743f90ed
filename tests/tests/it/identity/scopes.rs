//! What keys with scopes may do: exactly what the routes say, and never more than whoever made them.

use std::collections::BTreeSet;

use domain::Mode;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::scope::{Scope, Scopes};
use domain::port::Clock as _;
use serde_json::{Value, json};
use tests::catalogue::{Case, Policy, cases};
use tests::request::text;
use tests::{Call, Service as _, World};

const APP: CredentialKind = CredentialKind::AppKey(Mode::Live);

/// Whose keys a case takes, and the path under which they are created.
fn keys_of(case: &Case, world: &World) -> Option<(CredentialKind, String)> {
    let of_app = |id: &str| (APP, format!("/v1/organization/apps/{id}/keys"));
    match case.policy {
        Policy::Admin | Policy::Member => Some((CredentialKind::AdminKey, "/v1/organization/admin-keys".to_owned())),
        Policy::App => Some(of_app(&world.org.app)),
        Policy::AppInTestMode | Policy::TestApp | Policy::Tester => Some(of_app(&world.org.test_app)),
        Policy::Link | Policy::SignInLink | Policy::SignedIn => None,
    }
}

/// Sends a case with a key that has these scopes, and deletes the key. Returns the status and the body.
async fn sent_with(world: &World, case: &Case, path: &str, scopes: &[Scope]) -> (u16, Value) {
    let key = world.admin(Call::post(path).json(&json!({"name": "Scoped", "scopes": scopes}))).await.expect(201);
    let reply = world.send(case.call.clone().key(&text(&key, "key"))).await;
    let own = format!("{path}/{}", text(&key, "id"));
    // The last case may have deleted it.
    world.admin(Call::delete(own)).await;
    (reply.status.as_u16(), reply.json())
}

/// What a key needs besides the scope of the operation.
fn beside(scope: Scope) -> &'static [Scope] {
    match scope {
        // Webhooks that listen to messages receive their contents.
        Scope::WebhooksWrite => &[Scope::MessagesRead],
        // Whoever creates or changes a member has every scope of the role.
        Scope::MembersWrite => Scope::of_kind(CredentialKind::AdminKey),
        _ => &[],
    }
}

#[tokio::test]
async fn every_operation_needs_its_scope_and_no_other() {
    let world = World::new().await;
    let needed = contract::needed_scopes();
    let mut walked = 0;
    for case in cases(&world).await {
        let Some((kind, path)) = keys_of(&case, &world) else { continue };
        let method = case.method().as_str();
        let place = format!("{method} {}", case.template);
        let scope = needed.iter().find(|needed| needed.is_of(method, case.template));
        let scope = scope.unwrap_or_else(|| panic!("{place} needs no scope")).scope;

        let others = |other: &&Scope| !Scopes::from_iter([**other]).allow(scope);
        let others: Vec<Scope> = Scope::of_kind(kind).iter().filter(others).copied().collect();
        let (status, body) = sent_with(&world, &case, &path, &others).await;
        let message = body["error"]["message"].as_str().unwrap_or_default();
        assert!(
            status == 403 && message.contains(scope.as_str()),
            "{place} without {}: {status} {body}",
            scope.as_str()
        );

        let enough: BTreeSet<Scope> = [&[scope], beside(scope)].concat().into_iter().collect();
        let enough: Vec<Scope> = enough.into_iter().collect();
        let (status, body) = sent_with(&world, &case, &path, &enough).await;
        // A key with scopes must name those of the keys that it creates, and gets no value of a key that can do more.
        let expected = match (scope, method) {
            (Scope::KeysWrite, "POST") if case.template.ends_with("keys") => 400,
            (Scope::KeysWrite, "POST" | "PATCH") => 403,
            _ => case.status,
        };
        assert_eq!(status, expected, "{place} with {}: {body}", scope.as_str());
        walked += 1;
    }
    assert!(walked >= needed.len(), "{walked} of {}", needed.len());
}

#[tokio::test]
async fn app_keys_can_have_the_scopes_of_their_operations() {
    let document = contract::document();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.values().flat_map(|item| item.as_object().unwrap().values());
    let of_apps = operations.filter(|operation| {
        let mut schemes = operation["security"].as_array().into_iter().flatten();
        schemes.any(|scheme| scheme.get("testAppKey").is_some())
    });
    let mut usable = BTreeSet::new();
    for operation in of_apps {
        let name = operation["x-required-scope"].as_str().unwrap();
        // Reading is a part of writing, and may be given alone.
        usable.extend([name.to_owned(), name.replace(":write", ":read")]);
    }
    let known: BTreeSet<String> = Scope::of_kind(APP).iter().map(|scope| scope.as_str().to_owned()).collect();
    assert_eq!(known, usable);
}

/// Creates an admin key with these fields beside its name.
async fn admin_key(world: &World, creator: &str, fields: Value) -> (u16, Value) {
    let mut body = json!({"name": "Made"});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let reply = world.send(Call::post("/v1/organization/admin-keys").key(creator).json(&body)).await;
    (reply.status.as_u16(), reply.json())
}

#[tokio::test]
async fn no_key_gives_more_than_it_has() {
    let world = World::new().await;
    let scopes = json!({"scopes": ["keys:write", "apps:read"]});
    let (_, made) = admin_key(&world, &world.org.admin, scopes.clone()).await;
    assert_eq!(made["scopes"], json!(["keys:write", "apps:read"]));
    assert_eq!(made["createdBy"]["kind"], "KEY");
    let key = text(&made, "key");

    for (fields, status, param) in [
        (scopes, 201, Value::Null),
        (json!({"scopes": ["keys:read"]}), 201, Value::Null),
        (json!({}), 400, json!("scopes")),
        (json!({"scopes": ["apps:write"]}), 403, json!("scopes")),
        (json!({"scopes": []}), 400, json!("scopes")),
        (json!({"scopes": ["apps:read", "apps:read"]}), 400, json!("scopes")),
        (json!({"scopes": ["apps:delete"]}), 400, json!("scopes")),
    ] {
        let (found, body) = admin_key(&world, &key, fields.clone()).await;
        assert_eq!((found, &body["error"]["param"]), (status, &param), "{fields}: {body}");
    }

    let keys = format!("/v1/organization/apps/{}/keys", world.org.app);
    for (scope, status) in [("messages:write", 403), ("settings:read", 400)] {
        let call = Call::post(&keys).key(&key).json(&json!({"scopes": [scope]}));
        world.send(call).await.expect(status);
    }
    let (_, wider) = admin_key(&world, &world.org.admin, json!({"scopes": ["keys:write", "messages:write"]})).await;
    let call = Call::post(&keys).key(&text(&wider, "key")).json(&json!({"scopes": ["messages:write"]}));
    let sender = world.send(call).await.expect(201);
    // A key that only sends cannot read.
    let sender = text(&sender, "key");
    world.send(Call::get("/v1/chat/messages").key(&sender)).await.expect(403);
    world.send(Call::get("/v1/sms").key(&sender)).await.expect(403);
}

#[tokio::test]
async fn contents_are_shown_only_with_the_scope() {
    let world = World::new().await;
    let keys = format!("/v1/organization/apps/{}/keys", world.org.app);
    let made = world.admin(Call::post(&keys).json(&json!({"scopes": ["webhooks:write", "events:read"]}))).await;
    let blind = text(&made.expect(201), "key");
    let webhook = |events: &str| {
        let headers = json!({"x-secret": "hidden"});
        Call::post("/v1/webhooks")
            .json(&json!({"url": "https://example.com/a", "events": [events], "headers": headers}))
    };
    let refused = world.send(webhook("messages.chat.received").key(&blind)).await.expect(403);
    assert!(refused["error"]["message"].as_str().unwrap().contains("messages:read"), "{refused}");
    let made = world.send(webhook("templates.chat.updated").key(&blind)).await.expect(201);
    assert_eq!(made["headers"]["x-secret"], "hidden");
    let to_messages = json!({"events": ["messages.sms.received"]});
    let path = format!("/v1/webhooks/{}", text(&made, "id"));
    world.send(Call::put(&path).key(&blind).json(&to_messages)).await.expect(403);

    let reader = world.admin(Call::post(&keys).json(&json!({"scopes": ["webhooks:read"]}))).await.expect(201);
    let seen = world.send(Call::get(&path).key(&text(&reader, "key"))).await.expect(200);
    assert_ne!(seen["headers"]["x-secret"], "hidden");
}

#[tokio::test]
async fn a_key_works_from_its_networks_only() {
    let world = World::new().await;
    let (status, made) =
        admin_key(&world, &world.org.admin, json!({"allowedIps": ["203.0.113.0/24", "2001:db8::1"]})).await;
    assert_eq!((status, &made["allowedIps"]), (201, &json!(["203.0.113.0/24", "2001:db8::1/128"])));
    let key = text(&made, "key");
    let from = |address: &str| Call::get("/v1/organization/settings").key(&key).from(address);
    world.send(from("203.0.113.9")).await.expect(200);
    world.send(from("2001:db8::1")).await.expect(200);
    let refused = world.send(from("198.51.100.7")).await.expect(403);
    assert!(refused["error"]["message"].as_str().unwrap().contains("198.51.100.7"), "{refused}");

    // Nobody widens the networks.
    let create = |fields: Value| {
        let mut body = json!({"name": "Made"});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        Call::post("/v1/organization/admin-keys").key(&key).from("203.0.113.9").json(&body)
    };
    world.send(create(json!({}))).await.expect(403);
    world.send(create(json!({"allowedIps": ["203.0.0.0/16"]}))).await.expect(403);
    world.send(create(json!({"allowedIps": ["203.0.113.0/25"]}))).await.expect(201);
    for wrong in [json!([]), json!(["203.0.113.7/24"]), json!(["localhost"]), json!(vec!["::1"; 21])] {
        let (status, body) = admin_key(&world, &world.org.admin, json!({"allowedIps": wrong})).await;
        assert_eq!((status, &body["error"]["param"]), (400, &json!("allowedIps")), "{body}");
    }
}

#[tokio::test]
async fn an_app_key_ends() {
    let world = World::new().await;
    let keys = format!("/v1/organization/apps/{}/keys", world.org.app);
    let soon = world.clock.now().plus(std::time::Duration::from_secs(60));
    let made = world.admin(Call::post(&keys).json(&json!({"expiresAt": soon}))).await.expect(201);
    assert_eq!(made["expiresAt"], json!(soon));
    let call = Call::get("/v1/phone-numbers").key(&text(&made, "key"));
    world.send(call.clone()).await.expect(200);
    world.clock.advance(std::time::Duration::from_secs(61));
    world.send(call).await.expect(401);
    let past = world.admin(Call::post(&keys).json(&json!({"expiresAt": soon}))).await.expect(400);
    assert_eq!(past["error"]["param"], "expiresAt");
}

#[tokio::test]
async fn the_limits_of_a_key_can_be_changed_but_not_widened() {
    let world = World::new().await;
    let (_, made) = admin_key(&world, &world.org.admin, json!({"scopes": ["settings:read", "keys:write"]})).await;
    let (key, path) = (text(&made, "key"), format!("/v1/organization/admin-keys/{}", text(&made, "id")));
    let change = |body: Value| Call::patch(&path).json(&body);
    let settings = |address: &str| Call::get("/v1/organization/settings").key(&key).from(address);

    let changed = json!({"name": "Office", "allowedIps": ["203.0.113.0/24"]});
    let changed = world.admin(change(changed)).await.expect(200);
    assert_eq!((&changed["name"], &changed["scopes"]), (&json!("Office"), &made["scopes"]));
    world.send(settings("203.0.113.1")).await.expect(200);
    world.send(settings("198.51.100.1")).await.expect(403);
    // A key cannot free itself.
    world.send(change(json!({"allowedIps": null})).key(&key).from("203.0.113.1")).await.expect(403);
    let freed = world.admin(change(json!({"allowedIps": null}))).await.expect(200);
    // What changes nothing is no error.
    assert_eq!(world.admin(change(json!({"allowedIps": null, "name": "Office"}))).await.expect(200), freed);
    assert_eq!(world.admin(change(json!({"expiresAt": null}))).await.expect(200), freed);
    assert!(freed.get("allowedIps").is_none() && freed["name"] == "Office", "{freed}");
    world.send(settings("198.51.100.1")).await.expect(200);

    for (body, param) in [
        (json!({}), "body"),
        (json!({"name": null}), "name"),
        (json!({"scopes": ["apps:read"]}), "scopes"),
        (json!({"expiresAt": "soon"}), "expiresAt"),
        (json!({"expiresAt": "2020-01-01T00:00:00Z"}), "expiresAt"),
        (json!({"allowedIps": []}), "allowedIps"),
    ] {
        world.admin(change(body)).await.refused(400, Some(param), None);
    }
}

#[tokio::test]
async fn every_value_of_a_key_ends_with_it() {
    let world = World::new().await;
    let keys = format!("/v1/organization/apps/{}/keys", world.org.app);
    let made = world.admin(Call::post(&keys).json(&json!({}))).await.expect(201);
    let path = format!("{keys}/{}", text(&made, "id"));
    let second = world.admin(Call::post(format!("{path}/rotate"))).await.expect(200);
    let at = |seconds| world.clock.now().plus(std::time::Duration::from_secs(seconds));
    let changed = world.admin(Call::patch(&path).json(&json!({"expiresAt": at(60)}))).await.expect(200);
    assert_eq!((&changed["expiresAt"], &changed["previousExpiresAt"]), (&json!(at(60)), &json!(at(60))));
    world.admin(Call::patch(&path).json(&json!({"expiresAt": null}))).await.expect(200);
    world.clock.advance(std::time::Duration::from_secs(61));
    let numbers = |made: &Value| Call::get("/v1/phone-numbers").key(&text(made, "key"));
    world.send(numbers(&made)).await.expect(401);
    world.send(numbers(&second)).await.expect(200);
    // The value of before has ended; its credential may be gone, which stops no change.
    world.admin(Call::patch(&path).json(&json!({"expiresAt": at(60)}))).await.expect(200);
    world.clock.advance(std::time::Duration::from_secs(60));
    world.send(numbers(&second)).await.expect(401);
    world.admin(Call::patch(&path).json(&json!({"expiresAt": at(60)}))).await.refused(409, None, None);
    let keys = "/v1/organization/admin-keys";
    let brief = json!({"name": "Brief", "expiresAt": at(60)});
    let made = world.admin(Call::post(keys).json(&brief)).await.expect(201);
    world.clock.advance(std::time::Duration::from_secs(60));
    let late = Call::patch(format!("{keys}/{}", text(&made, "id"))).json(&json!({"expiresAt": null}));
    world.admin(late).await.refused(409, None, None);
}
