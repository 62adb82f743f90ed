//! Headers with media.

use serde_json::{Value, json};

use super::{Category, FoundSample, HeaderSample, body, draft, extended, refused};
use crate::media::Media;
use crate::{ErrorKind, Failure};

#[test]
fn headers_with_media_name_a_medium() {
    let media = "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let of = |format: &str| json!([body(), {"type": "header", "format": format, "example": {"mediaId": media}}]);
    for (category, format) in [
        (Category::Utility, "image"),
        (Category::Utility, "VIDEO"),
        (Category::Utility, "DOCUMENT"),
        (Category::Marketing, "Gif"),
    ] {
        let checked = draft(category, None, of(format)).checked().expect("accepted");
        let samples = HeaderSample::all(&checked.components);
        let [sample] = samples.as_slice() else { panic!("{format}: one medium") };
        assert_eq!(
            (sample.media.to_string().as_str(), sample.param.as_str(), sample.pointer.as_str()),
            (media, "components[1].example.mediaId", "/1")
        );
        let header = json!({"type": "HEADER", "format": format.to_uppercase(), "example": {"mediaId": media}});
        assert_eq!(checked.components, [body(), header]);
    }

    let text = json!([body(), {"type": "HEADER", "format": "TEXT", "text": "Order"}]);
    assert!(HeaderSample::all(text.as_array().expect("a list")).is_empty());

    let header = |rest: Value| json!([body(), extended(json!({"type": "HEADER", "format": "VIDEO"}), &rest)]);
    let at = "components[1].example";
    for (components, param) in [
        (of("STICKER"), "components[1].format".to_owned()),
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
fn a_gif_is_for_marketing() {
    let gif = json!([body(), {"type": "HEADER", "format": "GIF", "example": {"mediaId": "media_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}}]);
    let message = refused(Category::Utility, None, gif, "components[1].format");
    assert!(message.contains("category MARKETING. This one's category is UTILITY"), "{message}");
}

fn file(id: &str, mime_type: &str, file_size: u64) -> Media {
    let kind = if mime_type == "image/png" { "image" } else { "video" };
    serde_json::from_value(json!({
        "id": id, "appId": "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "state": "ready", "fileName": "a", "mimeType": mime_type,
        "mediaType": kind, "fileSize": file_size, "expiresAt": "2026-12-01T00:00:00.000Z",
        "createdAt": "2026-11-01T00:00:00.000Z", "isDirect": false,
    }))
    .expect("a medium")
}

/// Checks the examples of a template with a header of this format, or with one card for each of these media.
fn fit(format: &str, media: &[Media]) -> Result<(), Failure> {
    let header = |medium: &Media| json!({"type": "HEADER", "format": format, "example": {"mediaId": medium.id}});
    let cards: Vec<Value> = media.iter().map(|medium| json!({"components": [header(medium)]})).collect();
    let components = match media {
        [only] => json!([header(only)]),
        _ => json!([{"type": "BODY"}, {"type": "CAROUSEL", "cards": cards}]),
    };
    let headers = HeaderSample::all(components.as_array().expect("a list"));
    let samples = headers.into_iter().zip(media).map(|(header, media)| FoundSample { header, media: media.clone() });
    FoundSample::expect_fit(&samples.collect::<Vec<_>>())
}

#[test]
fn examples_have_types_and_sizes() {
    const MIB: u64 = 1024 * 1024;
    let id = |number: u32| format!("media_0ujtsYcgvSTl8PAuAdqWYSMnL{number:02}");
    let png = |number: u32, size: u64| file(&id(number), "image/png", size);
    let mp4 = |number: u32, size: u64| file(&id(number), "video/mp4", size);
    for (format, media) in [
        ("GIF", vec![mp4(0, 7 * MIB / 2)]),
        ("VIDEO", vec![mp4(0, 16 * MIB)]),
        ("VIDEO", vec![mp4(0, 8 * MIB), mp4(1, 8 * MIB)]),
        // One file for several cards counts once.
        ("VIDEO", vec![mp4(0, 10 * MIB), mp4(0, 10 * MIB)]),
        ("IMAGE", vec![png(0, 5 * MIB), png(1, 5 * MIB), png(2, 5 * MIB)]),
    ] {
        assert!(fit(format, &media).is_ok(), "{format}");
    }

    let card = |index: u32| format!("components[1].cards[{index}].components[0].example.mediaId");
    for (format, media, param, says) in [
        ("GIF", vec![mp4(0, 7 * MIB / 2 + 1)], "components[0].example.mediaId".to_owned(), "at most 3670016 bytes"),
        ("GIF", vec![png(0, 1)], "components[0].example.mediaId".to_owned(), "an MP4 video"),
        ("IMAGE", vec![png(0, 1), mp4(1, 1)], card(1), "a JPEG or PNG image"),
        ("VIDEO", vec![mp4(0, 8 * MIB), mp4(1, 8 * MIB), mp4(2, 1)], card(2), "at most 16777216 bytes"),
    ] {
        let failure = fit(format, &media).expect_err(&param);
        assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some(param.as_str())));
        assert!(failure.message().contains(says), "{}", failure.message());
    }
}
