//! Limited-time offers.

use serde_json::{Value, json};

use super::{Category, body, draft, extended, refused};

fn offer(fields: &Value) -> Value {
    json!({"type": "LIMITED_TIME_OFFER", "limited_time_offer": fields})
}

fn expiring() -> Value {
    offer(&json!({"text": "Expiring offer!", "has_expiration": true}))
}

fn copy() -> Value {
    json!({"type": "COPY_CODE", "example": "CARIBE25"})
}

fn book() -> Value {
    json!({"type": "URL", "text": "Book now!", "url": "https://example.com/offers?code={{1}}", "example": ["https://example.com/offers?code=n3mtql"]})
}

fn buttons(buttons: &Value) -> Value {
    json!({"type": "BUTTONS", "buttons": buttons})
}

fn image() -> Value {
    json!({"type": "HEADER", "format": "IMAGE", "example": {"mediaId": "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}})
}

#[test]
fn offers_are_accepted() {
    let longest = json!({"type": "BODY", "text": "x".repeat(600)});
    for components in [
        json!([image(), expiring(), body(), buttons(&json!([copy(), book()]))]),
        json!([extended(image(), &json!({"format": "VIDEO"})), expiring(), longest, buttons(&json!([copy(), book()]))]),
        json!([offer(&json!({"text": "x".repeat(16), "has_expiration": false})), body(), buttons(&json!([book()]))]),
        json!([offer(&json!({"text": "Now"})), body(), buttons(&json!([book()]))]),
    ] {
        draft(Category::Marketing, None, components).checked().expect("accepted");
    }
    let lower = json!([{"type": "limited_time_offer", "limited_time_offer": {"text": "Now"}}, body(), buttons(&json!([book()]))]);
    let checked = draft(Category::Marketing, None, lower).checked().expect("accepted");
    assert_eq!(checked.components[0], offer(&json!({"text": "Now"})));
}

#[test]
fn offers_have_their_limits() {
    let both = || buttons(&json!([copy(), book()]));
    let of = |fields: Value| json!([offer(&fields), body(), both()]);
    let with_buttons = |sent: Value| json!([expiring(), body(), buttons(&sent)]);
    let reply = json!({"type": "QUICK_REPLY", "text": "Stop"});
    let long = json!({"type": "BODY", "text": "x".repeat(601)});
    let text = json!({"type": "HEADER", "format": "TEXT", "text": "Sale"});
    let gif = extended(image(), &json!({"format": "GIF"}));
    let at = "components[0].limited_time_offer";
    for (components, param, says) in [
        (json!([{"type": "LIMITED_TIME_OFFER"}, body(), both()]), at.to_owned(), "required"),
        (of(json!("Now")), at.to_owned(), "object"),
        (of(json!({})), format!("{at}.text"), "required"),
        (of(json!({"text": "x".repeat(17)})), format!("{at}.text"), "at most 16"),
        (of(json!({"text": "For {{1}}"})), format!("{at}.text"), "variables"),
        (of(json!({"text": "Now", "has_expiration": "yes"})), format!("{at}.has_expiration"), "true or false"),
        (of(json!({"text": "Now", "expires": 1})), format!("{at}.expires"), "Allowed: text, has_expiration"),
        (json!([expiring(), long, both()]), "components[1].text".to_owned(), "at most 600"),
        (json!([expiring(), body()]), "components".to_owned(), "BUTTONS"),
        (json!([expiring(), both()]), "components".to_owned(), "BODY"),
        (json!([expiring(), body(), both(), {"type": "FOOTER", "text": "x"}]), "components[3]".to_owned(), "Remove it"),
        (json!([expiring(), body(), both(), text]), "components[3].format".to_owned(), "IMAGE, VIDEO"),
        (json!([expiring(), body(), both(), gif]), "components[3].format".to_owned(), "IMAGE, VIDEO"),
        (with_buttons(json!([copy()])), "components[2].buttons".to_owned(), "COPY_CODE and URL, or only URL"),
        (with_buttons(json!([book(), copy()])), "components[2].buttons".to_owned(), "in this order"),
        (with_buttons(json!([book(), book()])), "components[2].buttons".to_owned(), "These are: URL, URL"),
        (with_buttons(json!([reply])), "components[2].buttons".to_owned(), "COPY_CODE and URL"),
    ] {
        let message = refused(Category::Marketing, None, components, &param);
        assert!(message.contains(says), "{message}");
    }
    refused(Category::Utility, None, json!([expiring(), body(), both()]), "components[0]");
    let code = json!([{"type": "BODY"}, expiring()]);
    refused(Category::Authentication, None, code, "components[1]");
}
