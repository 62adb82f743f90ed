use serde_json::json;

use super::links::{Place, anchor};
use super::schema::{fields, type_of};

#[test]
fn types_are_named_with_their_limits() {
    let cases = [
        (json!({"type": "string", "minLength": 1, "maxLength": 255}), "string, 1 to 255 characters"),
        (json!({"type": "string", "format": "uri"}), "string, uri"),
        (json!({"type": "string", "format": "binary"}), "file"),
        (json!({"type": ["string", "null"]}), "string or null"),
        (json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 25}), "integer, 1 to 100, default `25`"),
        (
            json!({"type": "array", "items": {"$ref": "#/components/schemas/Media"}, "minItems": 1}),
            "array of [Media](#object-media), at least 1 item",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"pattern": "^[a-z]+$"}}),
            "object whose names match `^[a-z]+$`, and whose values are string",
        ),
        (json!({"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]}), "[A](#object-a) or null"),
        (json!({"enum": ["A", 1]}), "`\"A\"` or `1`"),
        (json!({"const": true}), "`true`"),
        (json!({}), "any value"),
    ];
    for (schema, expected) in cases {
        assert_eq!(type_of(&schema), expected, "{schema}");
    }
}

#[test]
fn fields_of_fields_are_indented() {
    let schema = json!({
        "required": ["a"], "additionalProperties": true,
        "properties": {
            "a": {"type": "object", "description": "First.\nSecond.", "properties": {"b": {"type": "boolean"}}},
        },
    });
    assert_eq!(
        fields(&schema, ""),
        "- `a` (object): First. Second.\n  - `b` (boolean, optional)\n- any other fields\n"
    );
}

#[test]
fn links_lead_to_these_pages() {
    let document = crate::document();
    let groups: Vec<_> = super::groups(&document).collect();
    let cases = [
        ("#tag/test-mode", "api_reference/test-mode.md", "test-mode.md"),
        (
            "#tag/media/POST/v1/media/uploads",
            "api_reference/media.md#create-a-direct-upload",
            "media.md#create-a-direct-upload",
        ),
        ("#description/receive-events", "#receive-events", "../api_reference.md#receive-events"),
        ("api_reference/error-codes#a_b", "api_reference/error-codes.md#a_b", "error-codes.md#a_b"),
        ("#object-event", "api_reference/events.md#object-event", "events.md#object-event"),
        ("https://example.com", "https://example.com", "https://example.com"),
    ];
    for (target, from_introduction, from_page) in cases {
        let text = format!("[a]({target}), [b](");
        assert_eq!(Place::Introduction.linked(&text, &groups), format!("[a]({from_introduction}), [b]("));
        assert_eq!(Place::Page.linked(&text, &groups), format!("[a]({from_page}), [b]("));
    }
    assert_eq!(Place::Events.linked("[a](#object-event)", &groups), "[a](#object-event)");
    assert_eq!(anchor("List the app's events"), "list-the-apps-events");
}
