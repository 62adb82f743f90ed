//! Tests of every limit: a value at the limit is accepted, and a value one above it is rejected with the parameter's
//! path.

use domain::ErrorKind;
use platform::render;
use serde_json::{Value, json};

use crate::kit::{accepted, medium, read};

pub(crate) fn text(length: usize) -> String {
    "é".repeat(length)
}

pub(crate) fn token(length: usize) -> String {
    "a".repeat(length)
}

fn https(length: usize) -> String {
    let start = "https://example.com/";
    format!("{start}{}", token(length - start.len()))
}

fn interactive(more: &Value) -> Value {
    let mut object = json!({"kind": "buttons", "body": "b", "buttons": [{"id": "1", "title": "t"}]});
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"type": "interactive", "interactive": object})
}

fn list(sections: &Value) -> Value {
    json!({"type": "interactive", "interactive": {"kind": "list", "body": "b", "buttonText": "t", "sections": sections}})
}

fn flow(field: &str, value: &str) -> Value {
    let mut object = json!({"kind": "flow", "body": "b", "cta": "c", "flowId": "1"});
    object.as_object_mut().unwrap().insert(field.to_owned(), json!(value));
    if field == "flowName" {
        object.as_object_mut().unwrap().remove("flowId");
    }
    json!({"type": "interactive", "interactive": object})
}

pub(crate) fn template(more: &Value) -> Value {
    let mut object = json!({"name": "t", "language": "en"});
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"type": "template", "template": object})
}

pub(crate) fn button(field: &str, value: &str) -> Value {
    template(&json!({"buttons": [{"index": 0, field: value}]}))
}

fn rows_of(count: usize, offset: usize) -> Value {
    (0..count).map(|row| json!({"id": (row + offset).to_string(), "title": "t"})).collect()
}

fn card(field: &str, value: &Value) -> Value {
    let mut card = json!({"name": {"formattedName": "A"}});
    card.as_object_mut().unwrap().insert(field.to_owned(), value.clone());
    json!({"type": "contacts", "contacts": [card]})
}

/// The parameter that is rejected, the largest size of its value, and a request with a value of a given size.
pub(crate) type Limit = (&'static str, usize, Box<dyn Fn(usize) -> Value>);

pub(crate) fn limit(param: &'static str, most: usize, request: impl Fn(usize) -> Value + 'static) -> Limit {
    (param, most, Box::new(request))
}

fn largest() -> Vec<Limit> {
    vec![
        limit("text.body", 4096, |n| json!({"type": "text", "text": {"body": text(n)}})),
        limit("clientReference", 255, |n| json!({"type": "text", "text": {"body": "b"}, "clientReference": text(n)})),
        limit("toUserId", 255, |n| json!({"type": "text", "text": {"body": "b"}, "toUserId": token(n)})),
        limit("replyTo", 512, |n| json!({"type": "text", "text": {"body": "b"}, "replyTo": token(n)})),
        limit("image.url", 2048, |n| json!({"type": "image", "image": {"url": https(n)}})),
        limit(
            "image.caption",
            1024,
            |n| json!({"type": "image", "image": {"mediaId": medium("image"), "caption": text(n)}}),
        ),
        limit(
            "video.caption",
            1024,
            |n| json!({"type": "video", "video": {"mediaId": medium("video"), "caption": text(n)}}),
        ),
        limit(
            "document.caption",
            1024,
            |n| json!({"type": "document", "document": {"url": https(30), "caption": text(n)}}),
        ),
        limit(
            "document.fileName",
            255,
            |n| json!({"type": "document", "document": {"url": https(30), "fileName": text(n)}}),
        ),
        limit(
            "location.name",
            2048,
            |n| json!({"type": "location", "location": {"latitude": 0, "longitude": 0, "name": text(n)}}),
        ),
        limit(
            "location.address",
            2048,
            |n| json!({"type": "location", "location": {"latitude": 0, "longitude": 0, "address": text(n)}}),
        ),
        limit("location.latitude", 90, |n| json!({"type": "location", "location": {"latitude": n, "longitude": 0}})),
        limit(
            "location.longitude",
            180,
            |n| json!({"type": "location", "location": {"latitude": 0, "longitude": n.to_string()}}),
        ),
        limit(
            "contacts",
            20,
            |n| json!({"type": "contacts", "contacts": vec![json!({"name": {"formattedName": "A"}}); n]}),
        ),
        limit(
            "contacts[0].name.formattedName",
            2048,
            |n| json!({"type": "contacts", "contacts": [{"name": {"formattedName": text(n)}}]}),
        ),
        limit("contacts[0].phones", 20, |n| card("phones", &json!(vec![json!({"phone": "1"}); n]))),
        limit("contacts[0].phones[0].waId", 2048, |n| card("phones", &json!([{"phone": "1", "waId": token(n)}]))),
        limit("contacts[0].emails[0].email", 2048, |n| card("emails", &json!([{"email": token(n)}]))),
        limit("contacts[0].urls[0].url", 2048, |n| card("urls", &json!([{"url": token(n)}]))),
        limit("contacts[0].addresses[0].countryCode", 2048, |n| card("addresses", &json!([{"countryCode": token(n)}]))),
        limit("contacts[0].org.company", 2048, |n| card("org", &json!({"company": text(n)}))),
        limit(
            "reaction.emoji",
            32,
            |n| json!({"type": "reaction", "reaction": {"messageId": "w", "emoji": "❤".repeat(n)}}),
        ),
        limit(
            "reaction.messageId",
            512,
            |n| json!({"type": "reaction", "reaction": {"messageId": token(n), "emoji": ""}}),
        ),
        limit(
            "pin.expirationDays",
            30,
            |n| json!({"groupId": "grp_wa_a", "type": "pin", "pin": {"messageId": "w", "action": "pin", "expirationDays": n}}),
        ),
        limit(
            "pin.messageId",
            512,
            |n| json!({"groupId": "grp_wa_a", "type": "pin", "pin": {"messageId": token(n), "action": "pin"}}),
        ),
        limit(
            "validForSeconds",
            86_400,
            |n| json!({"type": "text", "text": {"body": "b"}, "queue": true, "validForSeconds": n}),
        ),
        limit("interactive.header.text", 60, |n| interactive(&json!({"header": {"text": text(n)}}))),
        limit("interactive.body", 1024, |n| interactive(&json!({"body": text(n)}))),
        limit("interactive.footer", 60, |n| interactive(&json!({"footer": text(n)}))),
        limit("interactive.buttons", 3, |n| {
            let button = |n: usize| json!({"id": n.to_string(), "title": n.to_string()});
            interactive(&json!({"buttons": (0..n).map(button).collect::<Vec<_>>()}))
        }),
        limit("interactive.buttons[1].id", 256, |n| {
            interactive(&json!({"buttons": [{"id": "1", "title": "a"}, {"id": token(n), "title": "b"}]}))
        }),
        limit("interactive.buttons[1].title", 20, |n| {
            interactive(&json!({"buttons": [{"id": "1", "title": "a"}, {"id": "2", "title": text(n)}]}))
        }),
        limit("interactive.body", 4096, |n| {
            let mut request = list(&json!([{"rows": rows_of(1, 0)}]));
            request["interactive"]["body"] = json!(text(n));
            request
        }),
        limit("interactive.buttonText", 20, |n| {
            let mut request = list(&json!([{"rows": rows_of(1, 0)}]));
            request["interactive"]["buttonText"] = json!(text(n));
            request
        }),
        limit("interactive.sections", 10, |n| {
            list(&(0..n).map(|section| json!({"title": "t", "rows": rows_of(1, section)})).collect())
        }),
        limit("interactive.sections[0].rows", 10, |n| list(&json!([{"rows": rows_of(n, 0)}]))),
        limit("interactive.sections", 4, |n| {
            list(&json!([{"title": "a", "rows": rows_of(6, 0)}, {"title": "b", "rows": rows_of(n, 6)}]))
        }),
        limit("interactive.sections[0].title", 24, |n| list(&json!([{"title": text(n), "rows": rows_of(1, 0)}]))),
        limit("interactive.sections[0].rows[0].id", 200, |n| {
            list(&json!([{"rows": [{"id": token(n), "title": "t"}]}]))
        }),
        limit("interactive.sections[0].rows[0].title", 24, |n| {
            list(&json!([{"rows": [{"id": "1", "title": text(n)}]}]))
        }),
        limit("interactive.sections[0].rows[0].description", 72, |n| {
            list(&json!([{"rows": [{"id": "1", "title": "t", "description": text(n)}]}]))
        }),
        limit(
            "interactive.displayText",
            20,
            |n| json!({"type": "interactive", "interactive": {"kind": "cta_url", "body": "b", "displayText": text(n), "url": https(30)}}),
        ),
        limit(
            "interactive.url",
            2048,
            |n| json!({"type": "interactive", "interactive": {"kind": "cta_url", "body": "b", "displayText": "t", "url": https(n)}}),
        ),
        limit("interactive.cta", 30, |n| flow("cta", &text(n))),
        limit("interactive.flowId", 64, |n| flow("flowId", &token(n))),
        limit("interactive.flowName", 255, |n| flow("flowName", &text(n))),
        limit("interactive.token", 512, |n| flow("token", &token(n))),
        limit("interactive.screen", 255, |n| flow("screen", &text(n))),
        limit("template.name", 512, |n| template(&json!({"name": token(n)}))),
        limit("template.language", 20, |n| template(&json!({"language": token(n)}))),
        limit("template.header.text", 60, |n| template(&json!({"header": {"text": text(n)}}))),
        limit("template.body.1", 1024, |n| template(&json!({"body": {"1": text(n)}}))),
        limit("template.body", 100, |n| {
            let values: serde_json::Map<_, _> = (1..=n).map(|position| (position.to_string(), json!("v"))).collect();
            template(&json!({"body": values}))
        }),
        limit("template.buttons[0].index", 9, |n| template(&json!({"buttons": [{"index": n, "payload": "p"}]}))),
        limit("template.buttons[0].payload", 256, |n| button("payload", &text(n))),
        limit("template.buttons[0].urlSuffix", 2000, |n| button("urlSuffix", &token(n))),
        limit("template.buttons[0].couponCode", 15, |n| button("couponCode", &token(n))),
        limit("template.buttons[0].flowToken", 512, |n| button("flowToken", &token(n))),
        limit("template.components", 65_536, |n| {
            let empty = json!([{"type": "body", "x": ""}]).to_string().len();
            template(&json!({"components": [{"type": "body", "x": token(n - empty)}]}))
        }),
        limit("raw", 65_536, |n| {
            let empty = json!({"type": "text", "text": {"body": ""}}).to_string().len();
            json!({"type": "raw", "raw": {"type": "text", "text": {"body": token(n - empty)}}})
        }),
    ]
}

#[test]
fn a_value_at_the_limit_is_accepted_and_a_larger_one_is_not() {
    expect_limits(largest());
}

/// Asserts that a value at each limit is accepted, and a larger one is not.
pub(crate) fn expect_limits(limits: Vec<Limit>) {
    for (param, most, request) in limits {
        accepted(&request(most));
        let failure = read(&request(most + 1)).expect_err(param);
        let expected = (ErrorKind::InvalidRequest, Some(param));
        assert_eq!((failure.kind(), failure.param()), expected, "{}", failure.message());
        let names = [param, &most.to_string(), "user id", "platform's id", "code of the", "10 rows"];
        assert!(names.iter().any(|name| failure.message().contains(name)), "{}", failure.message());
    }
}

#[test]
fn a_message_names_at_most_ten_media() {
    let headers = |count: usize| {
        let header =
            json!({"type": "header", "parameters": [{"type": "image", "image": {"mediaId": medium("image")}}]});
        template(&json!({"components": vec![header; count]}))
    };
    assert_eq!(render::media(accepted(&headers(10)).content()).len(), 10);
    let failure = read(&headers(11)).expect_err("eleven");
    assert_eq!(failure.param(), Some("template.components[10].parameters[0].image.mediaId"));
    assert!(failure.message().contains("at most 10"), "{}", failure.message());
}

#[test]
fn a_value_below_the_least_is_rejected() {
    for (param, request) in [
        ("text.body", json!({"type": "text", "text": {"body": ""}})),
        ("text.body", json!({"type": "text", "text": {"body": " \n"}})),
        ("image.caption", json!({"type": "image", "image": {"url": https(30), "caption": ""}})),
        ("document.fileName", json!({"type": "document", "document": {"url": https(30), "fileName": " "}})),
        ("location.latitude", json!({"type": "location", "location": {"latitude": -90.000_001, "longitude": 0}})),
        ("location.longitude", json!({"type": "location", "location": {"latitude": 0, "longitude": "-180.1"}})),
        ("location.name", json!({"type": "location", "location": {"latitude": 0, "longitude": 0, "name": ""}})),
        ("contacts", json!({"type": "contacts", "contacts": []})),
        ("contacts[0].phones", card("phones", &json!([]))),
        ("contacts[0].emails[0].email", card("emails", &json!([{"email": ""}]))),
        ("clientReference", json!({"type": "text", "text": {"body": "b"}, "clientReference": ""})),
        ("toUserId", json!({"type": "text", "text": {"body": "b"}, "toUserId": ""})),
        ("replyTo", json!({"type": "text", "text": {"body": "b"}, "replyTo": ""})),
        ("validForSeconds", json!({"type": "text", "text": {"body": "b"}, "queue": true, "validForSeconds": 29})),
        ("validForSeconds", json!({"type": "text", "text": {"body": "b"}, "queue": true, "validForSeconds": -1})),
        (
            "pin.expirationDays",
            json!({"groupId": "grp_wa_a", "type": "pin", "pin": {"messageId": "w", "action": "pin", "expirationDays": 0}}),
        ),
        ("interactive.buttons", interactive(&json!({"buttons": []}))),
        ("interactive.sections", list(&json!([]))),
        ("interactive.sections[0].rows", list(&json!([{"rows": []}]))),
        ("interactive.footer", interactive(&json!({"footer": ""}))),
        ("template.name", template(&json!({"name": ""}))),
        ("template.language", template(&json!({"language": "e"}))),
        ("template.body", template(&json!({"body": {}}))),
        ("template.body.1", template(&json!({"body": {"1": ""}}))),
        ("template.buttons", template(&json!({"buttons": []}))),
        ("template.buttons[0].index", template(&json!({"buttons": [{"index": -1, "payload": "p"}]}))),
    ] {
        let failure = read(&request).expect_err(param);
        assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some(param)), "{request}");
    }
    accepted(&json!({"type": "text", "text": {"body": "b"}, "queue": true, "validForSeconds": 30}));
}
