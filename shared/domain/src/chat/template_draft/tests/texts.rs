//! Texts, their variables and their examples.

use serde_json::{Value, json};

use super::{Category, ParameterFormat, body, refused};

#[test]
fn texts_have_their_limits_and_their_examples() {
    use Category::Utility;
    let of_body = |text: &str, example: Value| json!([{"type": "BODY", "text": text, "example": example}]);
    for (components, param) in [
        (json!([]), "components"),
        (json!(["BODY"]), "components[0]"),
        (json!([{"text": "x"}]), "components[0].type"),
        (json!([{"type": "ORDER"}]), "components[0].type"),
        (json!([body(), body()]), "components[1]"),
        (json!([{"type": "BODY"}]), "components[0].text"),
        (json!([{"type": "BODY", "text": 7}]), "components[0].text"),
        (json!([{"type": "BODY", "text": " "}]), "components[0].text"),
        (json!([{"type": "BODY", "text": "x".repeat(1025)}]), "components[0].text"),
        (json!([{"type": "BODY", "text": "x", "txet": "y"}]), "components[0].txet"),
        (json!([{"type": "BODY", "text": "x", "example": null}]), "components[0].example"),
        (of_body("a {{1}} b {{3}} c", json!({"body_text": [["x", "y"]]})), "components[0].text"),
        (of_body("a {{2}} b", json!({"body_text": [["x"]]})), "components[0].text"),
        (of_body("a {{01}} b", json!({"body_text": [["x"]]})), "components[0].text"),
        (of_body("a {{name}} b", json!({"body_text": [["x"]]})), "components[0].text"),
        (of_body("a {{ 1 }} b", json!({"body_text": [["x"]]})), "components[0].text"),
        (of_body("a {{1 b", json!({"body_text": [["x"]]})), "components[0].text"),
        (of_body("{{1}} b", json!({"body_text": [["x"]]})), "components[0].text"),
        (of_body("a {{1}}", json!({"body_text": [["x"]]})), "components[0].text"),
        (of_body("a", json!({"body_text": [["x"]]})), "components[0].example"),
        (json!([{"type": "BODY", "text": "a {{1}} b"}]), "components[0].example.body_text"),
        (of_body("a {{1}} b", json!({})), "components[0].example.body_text"),
        (of_body("a {{1}} b", json!({"body_text": ["x"]})), "components[0].example.body_text"),
        (of_body("a {{1}} b", json!({"body_text": [["x", "y"]]})), "components[0].example.body_text[0]"),
        (of_body("a {{1}} b", json!({"body_text": [[7]]})), "components[0].example.body_text[0][0]"),
        (of_body("a {{1}} b", json!({"header_text": ["x"]})), "components[0].example.header_text"),
        (json!([body(), {"type": "FOOTER", "text": "x".repeat(61)}]), "components[1].text"),
        (json!([body(), {"type": "FOOTER", "text": "a {{1}} b"}]), "components[1].text"),
        (json!([body(), {"type": "HEADER", "text": "x"}]), "components[1].format"),
        (json!([body(), {"type": "HEADER", "format": "TEXT", "text": "x".repeat(61)}]), "components[1].text"),
        (json!([body(), {"type": "HEADER", "format": "TEXT", "text": "a\nb"}]), "components[1].text"),
        (json!([body(), {"type": "HEADER", "format": "TEXT", "text": "{{1}} {{2}}"}]), "components[1].text"),
        (json!([body(), {"type": "HEADER", "format": "TEXT", "text": "{{1}}"}]), "components[1].example.header_text"),
        (json!([body(), {"type": "HEADER", "format": "LOCATION", "text": "x"}]), "components[1].text"),
    ] {
        refused(Utility, None, components, param);
    }

    let named = |text: &str, params: Value| json!([{"type": "BODY", "text": text, "example": {"body_text_named_params": params}}]);
    let ann = json!({"param_name": "name", "example": "Ann"});
    let at = "components[0].example.body_text_named_params";
    for (components, param) in [
        (named("a {{1}} b", json!([ann])), "components[0].text".to_owned()),
        (named("a {{Name}} b", json!([ann])), "components[0].text".to_owned()),
        (named("a {{name}} {{x}} b", json!([ann])), at.to_owned()),
        (named("a {{name}} b", json!([ann, ann])), format!("{at}[1].param_name")),
        (named("a {{other}} b", json!([ann])), format!("{at}[0].param_name")),
        (named("a {{name}} b", json!([{"param_name": "name"}])), format!("{at}[0].example")),
    ] {
        refused(Utility, Some(ParameterFormat::Named), components, &param);
    }
}
