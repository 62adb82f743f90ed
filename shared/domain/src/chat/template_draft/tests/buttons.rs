//! Buttons.

use serde_json::{Value, json};

use super::{Category, ParameterFormat, body, draft, refused};

#[test]
fn buttons_have_their_limits() {
    let reply = json!({"type": "QUICK_REPLY", "text": "Stop"});
    let call = json!({"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+12015550123"});
    let url = |url: &str, example: Value| json!({"type": "URL", "text": "Open", "url": url, "example": example});
    let site = json!({"type": "URL", "text": "Open", "url": "https://example.com"});
    let long = format!("https://example.com/{}", "a".repeat(2000));
    let at = "components[1].buttons";
    for (buttons, param) in [
        (json!([]), at.to_owned()),
        (json!(vec![reply.clone(); 11]), at.to_owned()),
        (json!([call, call]), format!("{at}[1]")),
        (json!([site, site, site]), format!("{at}[2]")),
        (json!([reply, site, reply]), format!("{at}[2]")),
        (json!([site, reply, call]), format!("{at}[2]")),
        (json!([{"type": "OTP", "text": "x"}]), format!("{at}[0].type")),
        (json!([{"type": "QUICK_REPLY"}]), format!("{at}[0].text")),
        (json!([reply, {"type": "QUICK_REPLY", "text": "x".repeat(26)}]), format!("{at}[1].text")),
        (json!([{"type": "QUICK_REPLY", "text": "Hi {{1}}"}]), format!("{at}[0].text")),
        (json!([{"type": "QUICK_REPLY", "text": "Hi", "payload": "x"}]), format!("{at}[0].payload")),
        (json!([{"type": "URL", "text": "Open"}]), format!("{at}[0].url")),
        (json!([{"type": "URL", "text": "Open", "url": "example.com"}]), format!("{at}[0].url")),
        (json!([{"type": "URL", "text": "Open", "url": long}]), format!("{at}[0].url")),
        (json!([url("https://example.com/{{1}}/x", json!(["x"]))]), format!("{at}[0].url")),
        (json!([url("https://example.com/{{1}}{{2}}", json!(["x"]))]), format!("{at}[0].url")),
        (json!([url("https://{{1}}", json!(["x"]))]), format!("{at}[0].url")),
        (json!([url("https://example.com/{{1}}", json!([]))]), format!("{at}[0].example")),
        (json!([url("https://example.com/", json!(["x"]))]), format!("{at}[0].example")),
        (json!([{"type": "URL", "text": "Open", "url": "https://example.com/{{1}}"}]), format!("{at}[0].example")),
        (
            json!([{"type": "PHONE_NUMBER", "text": "Call", "phone_number": "1".repeat(21)}]),
            format!("{at}[0].phone_number"),
        ),
        (json!([{"type": "PHONE_NUMBER", "text": "Call", "phone_number": "call me"}]), format!("{at}[0].phone_number")),
        (json!([{"type": "COPY_CODE"}]), format!("{at}[0].example")),
        (json!([{"type": "COPY_CODE", "example": "x".repeat(16)}]), format!("{at}[0].example")),
        (json!([{"type": "COPY_CODE", "example": ["a", "b"]}]), format!("{at}[0].example")),
        (json!([{"type": "FLOW", "text": "Go"}]), format!("{at}[0]")),
        (json!([{"type": "FLOW", "text": "Go", "flow_id": "1", "flow_name": "x"}]), format!("{at}[0]")),
    ] {
        refused(Category::Marketing, None, json!([body(), {"type": "BUTTONS", "buttons": buttons}]), &param);
    }

    // The variable of a URL is a number where the others have names.
    let named = json!([{"type": "BODY", "text": "Hello"},
        {"type": "BUTTONS", "buttons": [url("https://example.com/{{1}}", json!(["x"]))]}]);
    draft(Category::Marketing, Some(ParameterFormat::Named), named).checked().expect("accepted");
}
