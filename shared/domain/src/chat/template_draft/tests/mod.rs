//! Templates that are accepted, and the parameter that each rejection names.

mod buttons;
mod carousels;
mod codes;
mod edits;
mod headers;
mod limits;
mod offers;
mod products;
mod texts;

use serde_json::{Value, json};

use super::*;
use crate::ErrorKind;

fn draft(category: Category, format: Option<ParameterFormat>, components: Value) -> TemplateDraft {
    TemplateDraft {
        name: "order_update".to_owned(),
        language: "en_US".to_owned(),
        category,
        components: serde_json::from_value(components).expect("a list"),
        parameter_format: format,
        message_send_ttl_seconds: None,
    }
}

/// Checks that the template is rejected because of this parameter. Returns the message.
fn refused(category: Category, format: Option<ParameterFormat>, components: Value, param: &str) -> String {
    let text = components.to_string();
    let failure = draft(category, format, components).checked().expect_err(&text);
    let expected = (ErrorKind::InvalidRequest, Some(param));
    assert_eq!((failure.kind(), failure.param()), expected, "{text}: {}", failure.message());
    failure.message().to_owned()
}

fn body() -> Value {
    json!({"type": "BODY", "text": "Hello {{1}}, order {{2}} is on its way.", "example": {"body_text": [["Ann", "12"]]}})
}

/// An object with more fields.
fn extended(mut object: Value, more: &Value) -> Value {
    object.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    object
}

#[test]
fn whole_templates_are_accepted_and_written_in_upper_case() {
    let components = json!([
        {"type": "header", "format": "text", "text": "Order {{1}}", "example": {"header_text": ["12"]}},
        body(),
        {"type": "Footer", "text": "Reply STOP to end"},
        {"type": "buttons", "buttons": [
            {"type": "quick_reply", "text": "Stop"},
            {"type": "quick_reply", "text": "More"},
            {"type": "url", "text": "Track", "url": "https://example.com/orders/{{1}}", "example": ["https://example.com/orders/12"]},
            {"type": "URL", "text": "Shop", "url": "https://example.com"},
            {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+12015550123"},
            {"type": "COPY_CODE", "example": "25OFF"},
            {"type": "FLOW", "text": "Rate us", "flow_id": "123", "flow_action": "navigate", "navigate_screen": "FIRST"},
        ]},
    ]);

    let checked = draft(Category::Marketing, None, components).checked().expect("accepted");
    assert_eq!((&checked.components[0]["type"], &checked.components[0]["format"]), (&json!("HEADER"), &json!("TEXT")));
    assert_eq!(checked.components[3]["buttons"][2]["type"], "URL");

    let named = json!([
        {"type": "HEADER", "format": "TEXT", "text": "{{shop}}",
         "example": {"header_text_named_params": [{"param_name": "shop", "example": "Acme"}]}},
        {"type": "BODY", "text": "Hi {{first_name}}, {{first_name}}!",
         "example": {"body_text_named_params": [{"param_name": "first_name", "example": "Ann"}]}},
    ]);
    draft(Category::Utility, Some(ParameterFormat::Named), named).checked().expect("accepted");

    let code = json!([
        {"type": "BODY", "add_security_recommendation": true},
        {"type": "FOOTER", "code_expiration_minutes": 10},
        {"type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "zero_tap", "zero_tap_terms_accepted": true,
            "supported_apps": [{"package_name": "com.example.app", "signature_hash": "K8a/AINcGX7"}]}]},
    ]);
    let checked = draft(Category::Authentication, None, code).checked().expect("accepted");
    assert_eq!(checked.components[2]["buttons"][0]["otp_type"], "ZERO_TAP");

    let most = json!([{"type": "BODY", "text": "é".repeat(1024)}, {"type": "HEADER", "format": "LOCATION"},
        {"type": "FOOTER", "text": "x".repeat(60)},
        {"type": "BUTTONS", "buttons": vec![json!({"type": "QUICK_REPLY", "text": "x".repeat(25)}); 10]}]);
    draft(Category::Utility, None, most).checked().expect("accepted");
}

#[test]
fn a_listed_template_is_the_one_that_was_sent() {
    let sent = vec![
        body(),
        json!({"type": "BUTTONS", "buttons": [{"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+12015550123"}]}),
    ];
    let listed = json!([
        {"type": "BUTTONS", "buttons": [{"type": "phone_number", "text": "Call", "phone_number": "12015550123", "added": 1}]},
        {"type": "body", "text": body()["text"]},
    ]);

    assert!(is_same_content(&sent, &listed, Category::Utility));

    let mut other = listed.clone();
    other[1]["text"] = json!("Another text");
    assert!(!is_same_content(&sent, &other, Category::Utility));
    assert!(!is_same_content(&sent[..1], &listed, Category::Utility));

    // Cards may list their components in another order, and what is off can be left out.
    let text = json!({"type": "BODY", "text": "Aloe"});
    let header = |example: Value| json!({"type": "HEADER", "format": "IMAGE", "example": example});
    let cards = |components: Value| json!({"type": "CAROUSEL", "cards": [{"components": components}]});
    let offer = |fields: Value| json!({"type": "LIMITED_TIME_OFFER", "limited_time_offer": fields});
    let sent = [
        cards(json!([text, header(json!({"mediaId": "media_1"}))])),
        offer(json!({"text": "Now", "has_expiration": false})),
    ];
    let listed = json!([offer(json!({"text": "Now"})), cards(json!([header(json!({"header_handle": ["x"]})), text]))]);
    assert!(is_same_content(&sent, &listed, Category::Marketing));
    let other =
        json!([offer(json!({"text": "Now"})), cards(json!([header(json!({})), {"type": "BODY", "text": "Agave"}]))]);
    assert!(!is_same_content(&sent, &other, Category::Marketing));

    let code = vec![
        json!({"type": "BODY"}),
        json!({"type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "COPY_CODE"}]}),
    ];
    let listed =
        json!([{"type": "BODY", "text": "{{1}} is your code."}, {"type": "BUTTONS", "buttons": [{"type": "URL"}]}]);
    assert!(is_same_content(&code, &listed, Category::Authentication));
}
