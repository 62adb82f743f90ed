use serde_json::{Value, json};

use super::*;
use crate::Timestamp;
use crate::chat::Template;

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

fn refused(category: Category, format: Option<ParameterFormat>, components: Value, param: &str) -> String {
    let text = components.to_string();
    let failure = draft(category, format, components).checked().expect_err(&text);
    assert_eq!((failure.status(), failure.param()), (400, Some(param)), "{text}: {}", failure.message());
    failure.message().to_owned()
}

fn body() -> Value {
    json!({"type": "BODY", "text": "Hello {{1}}, order {{2}} is on its way.", "example": {"body_text": [["Ann", "12"]]}})
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
fn texts_have_their_limits_and_their_examples() {
    use Category::Utility;
    let of_body = |text: &str, example: Value| json!([{"type": "BODY", "text": text, "example": example}]);
    for (components, param) in [
        (json!([]), "components"),
        (json!(["BODY"]), "components[0]"),
        (json!([{"text": "x"}]), "components[0].type"),
        (json!([{"type": "CAROUSEL"}]), "components[0].type"),
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

#[test]
fn headers_with_media_name_a_medium() {
    let media = "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let of = |format: &str| json!([body(), {"type": "header", "format": format, "example": {"mediaId": media}}]);
    for format in ["image", "VIDEO", "DOCUMENT"] {
        let checked = draft(Category::Utility, None, of(format)).checked().expect("accepted");
        let sample = HeaderSample::of(&checked.components).expect("a medium");
        assert_eq!(
            (sample.media.to_string().as_str(), sample.param.as_str()),
            (media, "components[1].example.mediaId")
        );
        let sent = with_handle(&checked.components, "4::a");
        let header = json!({"type": "HEADER", "format": format.to_uppercase(), "example": {"header_handle": ["4::a"]}});
        assert_eq!(sent, [body(), header]);
    }
    let text = json!([body(), {"type": "HEADER", "format": "TEXT", "text": "Order"}]);
    assert!(HeaderSample::of(text.as_array().expect("a list")).is_none());
    let header = |rest: Value| {
        let mut header = json!({"type": "HEADER", "format": "VIDEO"});
        header.as_object_mut().expect("an object").extend(rest.as_object().cloned().expect("an object"));
        json!([body(), header])
    };
    let at = "components[1].example";
    for (components, param) in [
        (of("GIF"), "components[1].format".to_owned()),
        (header(json!({})), format!("{at}.mediaId")),
        (header(json!({"example": {}})), format!("{at}.mediaId")),
        (header(json!({"example": "x"})), at.to_owned()),
        (header(json!({"example": {"mediaId": 1}})), format!("{at}.mediaId")),
        (header(json!({"example": {"mediaId": "msg_1"}})), format!("{at}.mediaId")),
        (header(json!({"example": {"mediaId": media, "header_handle": ["4::a"]}})), format!("{at}.header_handle")),
        (header(json!({"text": "x", "example": {"mediaId": media}})), "components[1].text".to_owned()),
    ] {
        refused(Category::Marketing, None, components, &param);
    }
}

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

#[test]
fn templates_for_codes_have_their_own_shape() {
    let otp = |fields: Value| {
        let mut button = json!({"type": "OTP"});
        button.as_object_mut().expect("an object").extend(fields.as_object().cloned().expect("an object"));
        json!([{"type": "BODY"}, {"type": "BUTTONS", "buttons": [button]}])
    };
    let app = json!({"package_name": "com.example.app", "signature_hash": "K8a/AINcGX7"});
    draft(Category::Authentication, None, otp(json!({"otp_type": "COPY_CODE"}))).checked().expect("accepted");
    let one_tap = otp(json!({"otp_type": "ONE_TAP", "text": "Copy", "autofill_text": "Fill", "supported_apps": [app]}));
    draft(Category::Authentication, None, one_tap).checked().expect("accepted");
    let at = "components[1].buttons[0]";
    for (components, param) in [
        (json!([{"type": "BODY"}]), "components".to_owned()),
        (json!([{"type": "BODY", "text": "{{1}} is your code."}]), "components[0].text".to_owned()),
        (
            json!([{"type": "BODY", "add_security_recommendation": "yes"}]),
            "components[0].add_security_recommendation".to_owned(),
        ),
        (json!([{"type": "HEADER", "format": "LOCATION"}]), "components[0]".to_owned()),
        (json!([{"type": "FOOTER", "text": "x"}]), "components[0].text".to_owned()),
        (
            json!([{"type": "FOOTER", "code_expiration_minutes": 91}]),
            "components[0].code_expiration_minutes".to_owned(),
        ),
        (otp(json!({})), format!("{at}.otp_type")),
        (otp(json!({"otp_type": "COPY_CODE", "supported_apps": [app]})), format!("{at}.supported_apps")),
        (otp(json!({"otp_type": "ONE_TAP"})), format!("{at}.supported_apps")),
        (otp(json!({"otp_type": "ONE_TAP", "supported_apps": vec![app.clone(); 6]})), format!("{at}.supported_apps")),
        (otp(json!({"otp_type": "ZERO_TAP", "supported_apps": [app]})), format!("{at}.zero_tap_terms_accepted")),
        (
            otp(
                json!({"otp_type": "ONE_TAP", "supported_apps": [{"package_name": "app", "signature_hash": "K8a/AINcGX7"}]}),
            ),
            format!("{at}.supported_apps[0].package_name"),
        ),
        (
            otp(json!({"otp_type": "ONE_TAP", "supported_apps": [{"package_name": "a.b", "signature_hash": "short"}]})),
            format!("{at}.supported_apps[0].signature_hash"),
        ),
    ] {
        refused(Category::Authentication, None, components, &param);
    }
    let code = json!([{"type": "BODY"}]);
    refused(Category::Authentication, Some(ParameterFormat::Named), code, "parameterFormat");
}

#[test]
fn names_languages_and_times_to_live_have_their_limits() {
    let good = || draft(Category::Utility, None, json!([body()]));
    for name in ["", "Order", "order-update", "order update", &"x".repeat(513)] {
        let failure = TemplateDraft { name: name.to_owned(), ..good() }.checked().expect_err(name);
        assert_eq!(failure.param(), Some("name"));
    }
    for (language, is_code) in [
        ("en", true),
        ("en_US", true),
        ("fil", true),
        ("zh_HK", true),
        ("prs_AF", true),
        ("", false),
        ("EN", false),
        ("en-US", false),
        ("en_us", false),
        ("english", false),
        ("en_US_x", false),
    ] {
        let outcome = TemplateDraft { language: language.to_owned(), ..good() }.checked();
        assert_eq!(outcome.is_ok(), is_code, "{language}");
    }
    use Category::{Authentication, Marketing, Utility};
    for (category, seconds, is_allowed) in [
        (Authentication, 30, true),
        (Authentication, 900, true),
        (Authentication, -1, true),
        (Authentication, 29, false),
        (Authentication, 901, false),
        (Utility, 43_200, true),
        (Utility, -1, true),
        (Utility, 43_201, false),
        (Utility, 0, false),
        (Marketing, 43_200, true),
        (Marketing, 2_592_000, true),
        (Marketing, 43_199, false),
        (Marketing, -1, false),
    ] {
        assert_eq!(check_time_to_live(Some(seconds), category).is_ok(), is_allowed, "{category:?} {seconds}");
    }
}

#[test]
fn edits_keep_the_shape_of_the_category() {
    let to = |category| TemplateEdit { category: Some(category), ..TemplateEdit::default() };
    let format = ParameterFormat::Positional;
    assert!(to(Category::Marketing).checked(Category::Utility, format).is_ok());
    let failure = to(Category::Authentication).checked(Category::Utility, format).expect_err("no components");
    assert_eq!(failure.param(), Some("components"));
    let seconds = TemplateEdit { message_send_ttl_seconds: Some(43_200), ..to(Category::Marketing) };
    assert!(seconds.checked(Category::Utility, format).is_ok(), "the new category decides");
}

fn template(status: &str) -> Template {
    serde_json::from_value(json!({
        "id": "1", "chatBusinessProfileId": "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "status": status,
        "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z",
    }))
    .expect("a template")
}

#[test]
fn approved_templates_are_edited_once_a_day_and_ten_times_in_thirty_days() {
    const HOUR: i64 = 3_600_000;
    let at = |hours: i64| Timestamp::from_millis(1_790_000_000_000 + hours * HOUR);
    let again = |status: &str, edits: &[i64], now: i64| {
        let edits: Vec<_> = edits.iter().map(|hours| at(*hours)).collect();
        expect_editable(&template(status), &edits, false, at(now)).err()
    };
    assert!(again("APPROVED", &[], 0).is_none());
    let failure = again("APPROVED", &[0], 23).expect("too early");
    assert_eq!((failure.status(), failure.param(), failure.retry_after()), (409, Some("templateId"), Some(3600)));
    assert!(failure.message().contains(&at(24).to_string()), "{}", failure.message());
    assert!(again("APPROVED", &[0], 24).is_none());
    let daily: Vec<i64> = (0..10).map(|day| day * 24).collect();
    let failure = again("APPROVED", &daily, 10 * 24).expect("the eleventh");
    assert!(failure.message().contains(&at(30 * 24).to_string()), "{}", failure.message());
    assert!(again("APPROVED", &daily, 30 * 24).is_none());
    for status in ["REJECTED", "PAUSED"] {
        assert!(again(status, &daily, 10 * 24).is_none(), "{status}");
    }
    for status in ["PENDING", "DISABLED", "IN_APPEAL"] {
        assert_eq!(again(status, &[], 0).expect(status).retry_after(), None);
    }
    assert!(expect_editable(&template("REJECTED"), &[], true, at(0)).is_ok());
    assert_eq!(
        expect_editable(&template("APPROVED"), &[], true, at(0)).expect_err("category").param(),
        Some("category")
    );
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
    let code = vec![
        json!({"type": "BODY"}),
        json!({"type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "COPY_CODE"}]}),
    ];
    let listed =
        json!([{"type": "BODY", "text": "{{1}} is your code."}, {"type": "BUTTONS", "buttons": [{"type": "URL"}]}]);
    assert!(is_same_content(&code, &listed, Category::Authentication));
}
