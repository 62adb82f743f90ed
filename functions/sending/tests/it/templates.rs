//! The comparison of parameters with the stored components of a template.

use domain::{ErrorCode, ErrorKind};
use platform::render::{self, Resolved};
use serde_json::{Value, json};

use crate::kit::{accepted, kind_of, medium, resolved};

pub(crate) fn check(sent: &Value, components: &Value) -> Result<(), (String, String)> {
    let message = accepted(sent);
    let template = render::named_template(message.content()).unwrap();
    template.check(components, &kind_of).map_err(|failure| {
        assert_eq!(failure.kind(), ErrorKind::Unprocessable);
        assert_eq!(failure.code(), Some(ErrorCode::TemplateParameterMismatch));
        (failure.param().unwrap().to_owned(), failure.message().to_owned())
    })
}

pub(crate) fn template(parameters: &Value) -> Value {
    let mut template = json!({"name": "t", "language": "en"});
    template.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
    json!({"type": "template", "template": template})
}

pub(crate) fn own(components: &Value) -> Value {
    template(&json!({"components": components}))
}

pub(crate) fn raw(components: &Value) -> Value {
    json!({"type": "raw", "raw": {"type": "template", "template": {"name": "t", "language": {"code": "en"}, "components": components}}})
}

/// Components with a text header, a body and buttons, in the two letter cases that the platform uses.
fn order() -> Value {
    json!([
        {"type": "HEADER", "format": "TEXT", "text": "Order {{1}}"},
        {"type": "body", "text": "Hello {{1}}, your order {{ 2 }} arrives on {{1}}."},
        {"type": "FOOTER", "text": "Bye {{1}}"},
        {"type": "BUTTONS", "buttons": [
            {"type": "QUICK_REPLY", "text": "Stop"},
            {"type": "URL", "text": "Track", "url": "https://example.com/{{1}}"},
            {"type": "url", "text": "Home", "url": "https://example.com/"},
            {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+12015550123"}]}
    ])
}

fn header(format: &str) -> Value {
    json!([{"type": "HEADER", "format": format}, {"type": "BODY", "text": "b"}])
}

fn named() -> Value {
    json!([{"type": "HEADER", "format": "TEXT", "text": "Hi {{who}}"}, {"type": "BODY", "text": "{{name}} {{code}}"}])
}

fn buttons(buttons: &Value) -> Value {
    json!([{"type": "BODY", "text": "b"}, {"type": "BUTTONS", "buttons": buttons}])
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn parameters_that_fit_are_accepted() {
    let image = json!({"type": "image", "image": {"link": "https://example.com/a.jpg"}});
    let location = json!({"latitude": 1, "longitude": 1});
    let (body, track) = (json!({"1": "Ada", "2": "7"}), json!({"index": 1, "urlSuffix": "7"}));
    for (sent, components) in [
        (template(&json!({"header": {"text": "7"}, "body": body, "buttons": [track]})), order()),
        (
            template(&json!({"header": {"text": "7"}, "body": body, "buttons": [track, {"index": 0, "payload": "p"}]})),
            order(),
        ),
        (template(&json!({"header": {"text": "Ada"}, "body": {"name": "a", "code": "b"}})), named()),
        (template(&json!({})), json!([{"type": "BODY", "text": "b"}])),
        (
            template(&json!({})),
            json!([{"type": "HEADER", "format": "TEXT", "text": "Hi"}, {"type": "BODY", "text": "b"}]),
        ),
        (template(&json!({"header": {"mediaId": medium("image")}})), header("IMAGE")),
        (template(&json!({"header": {"url": "https://example.com/a"}})), header("document")),
        (template(&json!({"header": {"mediaId": medium("video")}})), header("GIF")),
        (template(&json!({"header": {"location": location}})), header("LOCATION")),
        (template(&json!({"header": {"text": "a"}})), header("LATER")),
        (template(&json!({})), header("LATER")),
        (template(&json!({"buttons": [{"index": 0, "couponCode": "C"}]})), buttons(&json!([{"type": "COPY_CODE"}]))),
        (template(&json!({"buttons": [{"index": 0, "urlSuffix": "1"}]})), buttons(&json!([{"type": "OTP"}]))),
        (template(&json!({"buttons": [{"index": 0, "flowToken": "t"}]})), buttons(&json!([{"type": "FLOW"}]))),
        (
            template(&json!({})),
            buttons(&json!([{"type": "FLOW"}, {"type": "QUICK_REPLY"}, {"type": "CATALOG"}, {"type": "LATER"}])),
        ),
        (template(&json!({"buttons": [{"index": 0, "payload": "p"}]})), buttons(&json!([{"type": "LATER"}]))),
        // Without the text of the body, the parameters cannot be compared.
        (template(&json!({"body": {"1": "a"}})), json!([])),
        (template(&json!({"body": {"1": "a"}})), json!([{"type": "BODY"}])),
        (
            own(&json!([
            {"type": "header", "parameters": [text("7")]}, {"type": "BODY", "parameters": [text("Ada"), text("7")]},
            {"type": "button", "sub_type": "URL", "index": 1, "parameters": [text("7")]}])),
            order(),
        ),
        (own(&json!([{"type": "header", "parameters": [image]}])), header("IMAGE")),
        (
            own(&json!([{"type": "carousel", "cards": []}])),
            json!([{"type": "BODY", "text": "b"}, {"type": "CAROUSEL"}]),
        ),
        (raw(&json!([{"type": "header", "parameters": [image]}])), header("IMAGE")),
    ] {
        assert_eq!(check(&sent, &components), Ok(()), "{sent}");
    }
}

#[test]
fn the_first_parameter_that_differs_is_named() {
    let (body, head) = (json!({"1": "Ada", "2": "7"}), json!({"text": "7"}));
    let (ada, seven) = (text("Ada"), text("7"));
    let track = json!({"type": "button", "sub_type": "url", "index": "1", "parameters": [seven]});
    let image = json!({"type": "image", "image": {"link": "https://example.com/a.jpg"}});
    let with_buttons = |buttons: Value| template(&json!({"header": head, "body": body, "buttons": buttons}));
    for (param, says, sent, components) in [
        // Headers.
        ("template.header", "text", template(&json!({"body": body})), order()),
        ("template.header", "text", template(&json!({"header": {"url": "https://example.com"}})), order()),
        ("template.header", "Omit it", template(&json!({"header": head})), json!([{"type": "BODY", "text": "b"}])),
        (
            "template.header",
            "Omit it",
            template(&json!({"header": head})),
            json!([{"type": "HEADER", "format": "TEXT", "text": "Hi"}, {"type": "BODY", "text": "b"}]),
        ),
        ("template.header", "kind image", template(&json!({})), header("IMAGE")),
        ("template.header", "kind video", template(&json!({"header": {"mediaId": medium("image")}})), header("VIDEO")),
        ("template.header", "kind document", template(&json!({"header": head})), header("DOCUMENT")),
        ("template.header", "location", template(&json!({"header": head})), header("LOCATION")),
        // Bodies.
        ("template.body.1", "expects: 1, 2", template(&json!({"header": head})), order()),
        ("template.body.2", "expects: 1, 2", template(&json!({"header": head, "body": {"1": "Ada"}})), order()),
        (
            "template.body.3",
            "expects: 1, 2",
            template(&json!({"header": head, "body": {"1": "a", "2": "b", "3": "c"}})),
            order(),
        ),
        (
            "template.body.1",
            "Omit template.body",
            template(&json!({"body": {"1": "a"}})),
            json!([{"type": "BODY", "text": "b"}]),
        ),
        (
            "template.body.name",
            "expects: name, code",
            template(&json!({"header": head, "body": {"1": "a", "2": "b"}})),
            named(),
        ),
        (
            "template.body.other",
            "expects: name, code",
            template(&json!({"header": head, "body": {"name": "a", "code": "b", "other": "c"}})),
            named(),
        ),
        // Buttons.
        ("template.buttons", "button 1", with_buttons(json!([{"index": 0, "payload": "p"}])), order()),
        ("template.buttons", "copy_code", template(&json!({})), buttons(&json!([{"type": "COPY_CODE"}]))),
        ("template.buttons", "button 0", template(&json!({})), buttons(&json!([{"type": "OTP"}]))),
        ("template.buttons[0].index", "4 buttons", with_buttons(json!([{"index": 4, "payload": "p"}])), order()),
        (
            "template.buttons[1].urlSuffix",
            "quick_reply",
            with_buttons(json!([{"index": 1, "urlSuffix": "7"}, {"index": 0, "urlSuffix": "7"}])),
            order(),
        ),
        ("template.buttons[0].payload", "of kind url", with_buttons(json!([{"index": 1, "payload": "p"}])), order()),
        (
            "template.buttons[1].urlSuffix",
            "no variable",
            with_buttons(json!([{"index": 1, "urlSuffix": "7"}, {"index": 2, "urlSuffix": "7"}])),
            order(),
        ),
        (
            "template.buttons[1].payload",
            "of kind phone",
            with_buttons(json!([{"index": 1, "urlSuffix": "7"}, {"index": 3, "payload": "p"}])),
            order(),
        ),
        // The platform's own form.
        ("template.components", "body with 2", own(&json!([{"type": "header", "parameters": [seven]}])), order()),
        (
            "template.components",
            "header with one",
            own(&json!([{"type": "body", "parameters": [ada, seven]}, track])),
            order(),
        ),
        (
            "template.components",
            "button 1",
            own(&json!([{"type": "header", "parameters": [seven]}, {"type": "body", "parameters": [ada, seven]}])),
            order(),
        ),
        (
            "template.components[0].parameters",
            "2 entries",
            own(&json!([{"type": "body", "parameters": [ada]}])),
            order(),
        ),
        (
            "template.components[0].parameters",
            "0 entries",
            own(&json!([{"type": "body", "parameters": [ada]}])),
            json!([{"type": "BODY", "text": "b"}]),
        ),
        (
            "template.components[0].parameters",
            "type image",
            own(&json!([{"type": "header", "parameters": [ada]}])),
            header("IMAGE"),
        ),
        (
            "template.components[0].parameters",
            "type text",
            own(&json!([{"type": "header", "parameters": [image]}])),
            order(),
        ),
        (
            "template.components[0].parameters",
            "empty",
            own(&json!([{"type": "header", "parameters": [ada]}])),
            json!([{"type": "BODY", "text": "b"}]),
        ),
        (
            "template.components[0].parameters[1].parameter_name",
            "name, code",
            own(&json!([{"type": "body", "parameters": [
            {"type": "text", "parameter_name": "name", "text": "a"}, {"type": "text", "parameter_name": "x", "text": "a"}]}])),
            named(),
        ),
        (
            "template.components[0].index",
            "4 buttons",
            own(&json!([{"type": "button", "sub_type": "url", "index": "9"}])),
            order(),
        ),
        ("template.components[0].index", "4 buttons", own(&json!([{"type": "button", "sub_type": "url"}])), order()),
        (
            "template.components[0].sub_type",
            "quick_reply",
            own(&json!([{"type": "button", "sub_type": "url", "index": "0"}])),
            order(),
        ),
        (
            "raw.template.components[0].parameters",
            "2 entries",
            raw(&json!([{"type": "body", "parameters": [ada]}])),
            order(),
        ),
    ] {
        let (found, message) = check(&sent, &components).expect_err(param);
        assert_eq!(found, param, "{sent}: {message}");
        assert!(message.contains(says), "{sent}: {message}");
    }
}

#[test]
fn the_stored_template_decides_the_form_of_its_header() {
    let body = |sent: &Value, components: Value| {
        let message = accepted(&template(sent));
        let resolved = Resolved { template: Some(components), ..resolved(&message) };
        render::body(&message, &resolved).unwrap()["template"]["components"][0]["parameters"][0].clone()
    };
    let url = json!({"header": {"url": "https://example.com/7"}});
    assert_eq!(
        body(&url, header("DOCUMENT")),
        json!({"type": "document", "document": {"link": "https://example.com/7"}})
    );
    assert_eq!(body(&url, json!([])), json!({"type": "image", "image": {"link": "https://example.com/7"}}));
    let head = json!({"header": {"text": "Ada"}});
    assert_eq!(body(&head, named()), json!({"type": "text", "parameter_name": "who", "text": "Ada"}));
    assert_eq!(body(&head, order()), json!({"type": "text", "text": "Ada"}));
}

#[test]
fn the_template_that_a_message_names() {
    for (sent, param) in [(template(&json!({})), "template.name"), (raw(&json!([])), "raw.template.name")] {
        let named = render::named_template(accepted(&sent).content()).unwrap();
        assert_eq!((named.name(), named.language(), named.name_param().as_str()), ("t", "en", param));
    }
    let text = accepted(&json!({"type": "text", "text": {"body": "b"}}));
    assert!(render::named_template(text.content()).is_none());
}
