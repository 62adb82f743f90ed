//! Headers with media.

use serde_json::{Value, json};

use super::{Category, HeaderSample, body, draft, extended, refused};

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
        let header = json!({"type": "HEADER", "format": format.to_uppercase(), "example": {"mediaId": media}});
        assert_eq!(checked.components, [body(), header]);
    }

    let text = json!([body(), {"type": "HEADER", "format": "TEXT", "text": "Order"}]);
    assert!(HeaderSample::of(text.as_array().expect("a list")).is_none());

    let header = |rest: Value| json!([body(), extended(json!({"type": "HEADER", "format": "VIDEO"}), &rest)]);
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
