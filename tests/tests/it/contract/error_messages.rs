//! Messages of errors name everything that a newcomer needs to correct the request: the missing field and the unknown one
//! that was probably meant to be it, an example of an id, the methods of a path, and the path that was probably meant.

use http::Method;
use serde_json::{Map, Value, json};
use tests::catalogue::cases;
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

const KSUID: &str = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";

/// Sends a request that is rejected with this status and parameter. Returns the message.
async fn message(world: &World, call: Call, status: u16, param: Option<&str>) -> String {
    text(&world.send(call).await.refused(status, param, None)["error"], "message")
}

#[tokio::test]
async fn a_missing_field_is_reported_with_the_unknown_one() {
    let (world, document) = (World::new().await, contract::document());
    let mut tried = 0;
    for case in cases(&world).await {
        let Ok(body) = serde_json::from_slice::<Map<String, Value>>(&case.call.body) else { continue };
        let pointer = "/requestBody/content/application~1json/schema/$ref";
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let Some(schema) = operation.pointer(pointer).and_then(Value::as_str) else { continue };
        let required = document.pointer(&format!("{}/required", &schema[1..])).and_then(Value::as_array);
        for missing in required.into_iter().flatten().map(|name| name.as_str().unwrap()) {
            let mut misspelt = body.clone();
            let value = misspelt.remove(missing).unwrap();
            misspelt.insert(format!("{missing}Misspelt"), value);
            let call = case.call.clone().key(case.right_key(&world.org)).json(&json!(misspelt));
            let message = message(&world, call, 400, Some(missing)).await;
            let expected =
                format!("{missing} is required. \"{missing}Misspelt\" is not a field of this operation. Allowed: ");
            assert!(message.starts_with(&expected), "{case:?}: {message}");
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

#[tokio::test]
async fn a_field_that_another_one_requires_is_reported_with_the_unknown_one() {
    let world = World::new().await;
    let line = json!({"from": "+12015550100", "to": "+12015550123"});
    let with = |more: Value| {
        let mut body = line.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let (chat, sms, inbound) = ("/v1/chat/messages", "/v1/sms", "/v1/playground/chat/inbound");
    for (path, body, param, expected) in [
        (
            chat,
            with(json!({"type": "text", "txt": {"body": "Hello"}})),
            "text",
            "text is required, because type is text. \"txt\" is not a field of this operation. Allowed: from, to, ",
        ),
        (
            chat,
            json!({"from": "+12015550100", "too": "+12015550123", "type": "text", "text": {"body": "Hello"}}),
            "to",
            "to is required: a phone number. Or use toUserId or groupId instead. \"too\" is not a field of this operation. ",
        ),
        (
            sms,
            with(json!({"body": "Hello"})),
            "text",
            "text is required, because there is no mediaId. \"body\" is not a field of this operation. Allowed: from, ",
        ),
        (
            inbound,
            with(json!({"type": "text", "txt": {"body": "Hello"}})),
            "text",
            "text is required, because type is text. \"txt\" is not a field of this operation. Allowed: ",
        ),
        (
            chat,
            with(json!({"type": "interactive", "interactive": {"kind": "buttons", "body": "Hello", "button": []}})),
            "interactive.buttons",
            "interactive.buttons is required",
        ),
    ] {
        let message =
            message(&world, Call::post(path).key(&world.org.test_app_key).json(&body), 400, Some(param)).await;
        assert!(message.starts_with(expected), "{message}");
    }
}

/// Nested objects have the same order of errors: missing, wrong, unknown.
#[tokio::test]
async fn a_missing_field_of_a_nested_object_is_reported_with_the_unknown_one() {
    let world = World::new().await;
    let send = async |more: Value, param: &str| {
        let mut body = json!({"from": "+12015550100", "to": "+12015550123"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let call = Call::post("/v1/chat/messages").key(&world.org.test_app_key).json(&body);
        message(&world, call, 400, Some(param)).await
    };
    let text = send(json!({"type": "text", "text": {"bdy": "Hello"}}), "text.body").await;
    assert_eq!(text, "text.body is required. \"bdy\" is not a field of text. Allowed: body, previewUrl.");
    let template = json!({"type": "template", "template": {"name": "hello", "langauge": "en_US", "body": 7}});
    let template = send(template, "template.language").await;
    assert!(
        template.starts_with("template.language is required. \"langauge\" is not a field of template. "),
        "{template}"
    );
    let wrong = json!({"type": "text", "text": {"body": 7, "x": 1}, "y": 1});
    assert_eq!(send(wrong, "text.body").await, "text.body must be a string.");
    let row = json!({"id": "1", "title": "One", "x": 1});
    let list = json!({"kind": "list", "body": "Choose", "buttonText": "Rows", "sections": [{"rows": [row]}]});
    let unknown = send(json!({"type": "interactive", "interactive": list}), "interactive.sections[0].rows[0].x").await;
    let expected = "\"x\" is not a field of interactive.sections[0].rows[0]. Allowed: id, title, description.";
    assert_eq!(unknown, expected);
    let both = json!({"type": "text", "text": {"body": "Hello", "x": 1}, "y": 1});
    assert_eq!(send(both, "text.x").await, "\"x\" is not a field of text. Allowed: body, previewUrl.");
    let secret = "x".repeat(5000);
    let long = send(json!({"type": "text", "text": {&secret: 1}}), "text.body").await;
    assert!(long.len() < 300 && long.ends_with("Allowed: body, previewUrl."), "{long}");
}

#[tokio::test]
async fn a_missing_query_parameter_is_reported_with_the_unknown_one() {
    let world = World::new().await;
    for (path, query, param) in [
        ("/v1/organization/chat/templates", "profileId=wabp_1", "chatBusinessProfileId"),
        ("/v1/organization/chat/messages", "number=wapn_1", "chatPhoneNumberId"),
    ] {
        let name = query.split('=').next().unwrap();
        let call = Call::get(format!("{path}?{query}")).key(&world.org.admin);
        let message = message(&world, call, 400, Some(param)).await;
        let expected =
            format!("{param} is required. \"{name}\" is not a query parameter of this list. Allowed: limit, ");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[tokio::test]
async fn a_wrong_form_field_is_reported_with_the_right_one() {
    let world = World::new().await;
    let upload = |parts: &[tests::request::Part<'_>]| Call::post("/v1/media").key(&world.org.test_app_key).parts(parts);
    let wrong = upload(&[("document", Some("a.png"), Some("image/png"), PNG)]);
    assert_eq!(
        message(&world, wrong, 400, Some("file")).await,
        "file is required. \"document\" is not a form field of this operation. Send one part named file."
    );
    let extra = upload(&[("file", Some("a.png"), Some("image/png"), PNG), ("caption", None, None, b"Hello")]);
    assert_eq!(
        message(&world, extra, 400, Some("caption")).await,
        "\"caption\" is not a form field of this operation. Send one part named file."
    );
    let none = upload(&[]);
    assert_eq!(message(&world, none, 400, Some("file")).await, "file is required. Send one part named file.");
}

#[tokio::test]
async fn an_id_that_does_not_match_is_reported_with_an_example() {
    let (world, document) = (World::new().await, contract::document());
    let mut tried = 0;
    for case in cases(&world).await {
        let segments: Vec<&str> = case.template.split('/').collect();
        let Some(last) = segments.iter().rposition(|segment| segment.starts_with('{')) else { continue };
        let path = case.call.path.split('?').next().unwrap();
        let mut sent: Vec<&str> = path.split('/').collect();
        sent[last] = "x";
        let call = Call { path: sent.join("/"), ..case.call.clone() }.key(case.right_key(&world.org));
        let refused = world.send(call).await.json();
        let (error, name) = (&refused["error"], segments[last].trim_matches(['{', '}']));
        // A medium, a group or a template with any other id is one that does not exist.
        if refused.pointer("/error/param") != Some(&json!(name))
            || !text(error, "message").contains("must be the id of")
        {
            continue;
        }
        let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
        let parameters = operation["parameters"].as_array().unwrap();
        let parameter = parameters.iter().find(|parameter| parameter["name"] == name).unwrap();
        let (message, schema) = (text(error, "message"), &parameter["schema"]);
        let example = message.split("such as ").nth(1).unwrap_or_else(|| panic!("{case:?}: {message}"));
        let example = example.split(' ').next().unwrap().trim_end_matches(',');
        let reference = schema["$ref"].as_str().map(|reference| document.pointer(&reference[1..]).unwrap());
        let pattern = reference.unwrap_or(schema)["pattern"].as_str();
        if let Some(pattern) = pattern {
            assert!(message.contains(pattern), "{message}");
        }
        assert!(example.ends_with(KSUID), "{message}");
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
}

#[tokio::test]
async fn an_unsupported_method_is_reported_with_the_supported_ones() {
    let world = World::new().await;
    for (method, path, expected) in [
        (Method::DELETE, "/v1/organization/settings", "This path does not support DELETE. Allowed: GET, PATCH."),
        (Method::GET, "/v1/media", "This path does not support GET. Allowed: POST."),
        (Method::OPTIONS, "/v1/health", "This path does not support OPTIONS. Allowed: GET."),
    ] {
        assert_eq!(message(&world, Call::new(method, path), 405, None).await, expected);
    }
}

#[tokio::test]
async fn an_unknown_path_is_reported_with_a_similar_one() {
    let world = World::new().await;
    let app = &world.org.app;
    for (method, path, similar) in [
        (Method::POST, "/v1/messages", "POST /v1/chat/messages"),
        (Method::GET, "/v1/organisation/apps/", "GET /v1/organization/apps"),
        (Method::POST, "/organization/apps", "POST /v1/organization/apps"),
        (Method::GET, &format!("/v1/organization/apps/{app}/webhook"), "GET /v1/organization/apps/{appId}/webhooks"),
        (Method::POST, "/v1/Health", "/v1/health (GET)"),
        (Method::GET, "/v1/organization/phone_numbers", "GET /v1/organization/phone-numbers"),
    ] {
        let message = message(&world, Call::new(method, path), 404, None).await;
        let expected = format!(
            "No operation has this path. Did you mean {similar}? GET /v1/openapi.json describes all operations."
        );
        assert_eq!(message, expected, "{path}");
    }
    for path in ["/v1", "/v1/nope", "/wp-login.php", "/v1/organization/nope", &format!("/v1{}", "/apps".repeat(500))] {
        let message = message(&world, Call::get(path), 404, None).await;
        assert_eq!(message, "No operation has this path. GET /v1/openapi.json describes all operations.");
    }
}
