//! The defaults of the document: clients that send each of them explicitly are understood.

use serde_json::{Value, json};
use tests::catalogue::cases;
use tests::{Service as _, World};

use super::walk::resolve;

/// Adds the defaults of a schema's absent properties to a value, also of nested objects. Returns how many there were.
fn add_defaults(document: &Value, schema: &Value, value: &mut Value) -> usize {
    let schema = resolve(document, schema);
    let discriminator = &schema["discriminator"];
    if let Some(tag) = discriminator["propertyName"].as_str() {
        let member = json!({"$ref": discriminator["mapping"][value[tag].as_str().unwrap()]});
        return add_defaults(document, &member, value);
    }
    match value {
        Value::Object(fields) => {
            let mut added = 0;
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(value) = fields.get_mut(name) {
                    added += add_defaults(document, property, value);
                    continue;
                }
                assert!(
                    property.get("default").is_none(),
                    "{name} has a default, which generators would send or require"
                );
                if let Some(default) = described_default(property) {
                    fields.insert(name.clone(), default);
                    added += 1;
                }
            }
            added
        }
        Value::Array(items) => items.iter_mut().map(|item| add_defaults(document, &schema["items"], item)).sum(),
        _ => 0,
    }
}

/// Returns the default that a property's description names.
pub(super) fn described_default(property: &Value) -> Option<Value> {
    let (_, default) = property["description"].as_str()?.split_once(contract::DEFAULT)?;
    let text = default.trim_start_matches('`').trim_end_matches("`.");
    Some(serde_json::from_str(text).unwrap_or_else(|error| panic!("{default}: {error}")))
}

#[tokio::test]
async fn a_request_with_all_defaults_is_accepted() {
    let (world, document) = (World::new().await, contract::document());
    let mut added = 0;
    for case in cases(&world).await {
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let Some(schema) = operation.pointer("/requestBody/content/application~1json/schema") else { continue };
        let mut body: Value = serde_json::from_slice(&case.call.body).unwrap_or(json!({}));
        added += add_defaults(&document, schema, &mut body);
        let reply = world.send(case.call.clone().key(case.right_key(&world.org)).json(&body)).await;
        assert!(reply.status.is_success(), "{} {} with {body}: {reply:?}", case.method(), case.template);
    }
    assert!(added > 8, "{added}");
}
