//! Fields with unusual values, and the order in which wrong fields are reported.

use serde_json::{Map, Value, json};
use tests::catalogue::cases;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn hostile_strings_are_refused_or_kept_as_they_are() {
    const APPS: &str = "/v1/organization/apps";
    let world = World::new().await;
    let huge = "x".repeat(200_000);
    for name in ["\u{0}", "a\u{0}b", "\u{1b}[31m", "a\r\nSet-Cookie: x", "\u{7f}", "\u{85}", " ", "", &huge] {
        world.admin(Call::post(APPS).json(&json!({"name": name}))).await.refused(400, Some("name"), None);
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
        let made = world.admin(Call::post(APPS).json(&json!({"name": name}))).await.expect(201);
        assert_eq!(made["name"], json!(name));
    }

    let mut unknown = Map::new();
    unknown.insert("name".to_owned(), json!("x"));
    unknown.insert(format!("{}\u{0}\n", "k".repeat(5000)), json!(1));
    let refused = world.admin(Call::post(APPS).json(&unknown.into())).await.expect(400);
    assert_eq!(refused["error"]["param"].as_str().unwrap().len(), 100);
}

/// A missing field comes before a wrong one, a wrong one before an unknown one.
#[tokio::test]
async fn fields_have_an_order_of_errors() {
    let (world, document) = (World::new().await, contract::document());
    for case in cases(&world).await {
        let Ok(body) = serde_json::from_slice::<Map<String, Value>>(&case.call.body) else { continue };
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let Some(required) = required_fields(&document, operation) else { continue };
        let call = |body: &Map<String, Value>| case.call.clone().key(case.right_key(&world.org)).json(&json!(body));

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

/// The required fields of the operation's body. `None` if it takes no JSON.
fn required_fields<'a>(document: &'a Value, operation: &Value) -> Option<Vec<&'a str>> {
    let reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str()?;
    let name = reference.rsplit('/').next().unwrap();
    let required = document["components"]["schemas"][name]["required"].as_array();
    Some(required.into_iter().flatten().map(|name| name.as_str().unwrap()).collect())
}
