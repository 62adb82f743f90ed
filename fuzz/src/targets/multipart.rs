//! Uploads through the API, sent with a live app's key. Line 1 is the `Content-Type` header; the rest is the body.
//!
//! An accepted file is stored unchanged, under a valid name, with an accepted type and within the type's size limit. The error
//! for a rejected upload names the part, the header or the body, and nothing is stored.

use axum::body::Body;
use domain::media::{MULTIPART_LIMIT, MediaType};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request};
use serde_json::Value;

use super::{line, shown};
use crate::service::service;

pub fn run(input: &[u8]) {
    let (mime, body) = line(input);
    let Ok(mime) = HeaderValue::from_bytes(mime.trim_ascii()) else { return };
    let service = service();
    let request = Request::post("/v1/media")
        .header(AUTHORIZATION, format!("Bearer {}", service.name("APP_KEY")))
        .header(CONTENT_TYPE, &mime);
    let reply = service.answer(request.body(Body::from(body.to_vec())).expect("a request"));
    let answer = reply.json();
    let objects = service.memory.written_objects();
    match reply.status.as_u16() {
        201 => expect_kept(&answer, body, &objects),
        400 | 413 | 415 => {
            let error = &answer["error"];
            let is_named = match error["param"].as_str() {
                Some(param) => ["file", "body", "Content-Type"].contains(&param) || may_be_name(body, param),
                None => has_nameless_part(body),
            };
            assert!(is_named, "{answer}");
            assert!(error["type"] == "invalid_request_error" && error["message"].is_string(), "{answer}");
            assert!(objects.is_empty() && service.memory.changes().is_empty(), "{answer}");
        }
        _ => panic!("{reply:?}\n{}", service.logged()),
    }
}

fn expect_kept(answer: &Value, body: &[u8], objects: &[(String, Vec<u8>)]) {
    let [(key, bytes)] = objects else { panic!("{} objects", objects.len()) };
    let id = answer["id"].as_str().unwrap_or_default();
    assert!(key.starts_with("bucket/media/org_") && key.ends_with(id) && id.starts_with("media_"), "{key}");
    assert!(contains(body, bytes), "the stored bytes differ from the bytes sent");
    assert_eq!(answer["fileSize"].as_u64(), Some(bytes.len() as u64));
    let mime = answer["mimeType"].as_str().unwrap_or_default();
    let known = MediaType::parse(mime).unwrap_or_else(|| panic!("{mime} is not accepted"));
    assert_eq!((known.mime, answer["mediaType"].as_str()), (mime, Some(known.kind.as_str())));
    assert!((1..=known.kind.limit().min(MULTIPART_LIMIT)).contains(&(bytes.len() as u64)));
    expect_content(mime, bytes);
    let name = answer["fileName"].as_str().unwrap_or_default();
    assert!((1..=255).contains(&name.chars().count()) && name != "." && name != "..", "{name:?}");
    assert!(!name.chars().any(|c| c.is_control() || matches!(c, '/' | '\\' | '\u{202a}'..='\u{202e}')), "{name:?}");
    let url: url::Url = answer["url"].as_str().and_then(|url| url.parse().ok()).expect("an address");
    let query = |wanted: &str| url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned());
    assert_eq!(query("response-content-type").as_deref(), Some(mime));
    let shown_as = query("response-content-disposition").unwrap_or_default();
    let is_inline = known.kind.is_inline();
    assert!(
        if is_inline { shown_as == "inline" } else { shown_as.starts_with("attachment; filename=\"") },
        "{shown_as}"
    );
    assert!(HeaderValue::from_str(&shown_as).is_ok_and(|value| value.to_str().is_ok()), "{shown_as:?}");
}

/// Checks that a browser would not interpret the content as another type.
fn expect_content(mime: &str, bytes: &[u8]) {
    if mime == "text/plain" {
        let text = std::str::from_utf8(bytes).expect("text");
        assert!(!text.contains('\0') && !text.trim_start_matches('\u{feff}').trim_start().starts_with('<'), "{text:?}");
    } else {
        assert!(!bytes.trim_ascii_start().starts_with(b"<") && !bytes.starts_with(b"#!/"), "{mime}");
    }
}

fn contains(body: &[u8], wanted: &[u8]) -> bool {
    let Some(first) = wanted.first() else { return true };
    body.iter().enumerate().any(|(at, byte)| byte == first && body[at..].starts_with(wanted))
}

/// Whether a text after `name=`, as an error shows it, begins with the parameter.
fn may_be_name(body: &[u8], param: &str) -> bool {
    let text = String::from_utf8_lossy(body);
    !param.is_empty() && names(&text).map(shown).any(|value| value.starts_with(param))
}

/// Whether a part's name may begin with a control character, so that perhaps nothing of it can be shown.
pub(super) fn has_nameless_part(body: &[u8]) -> bool {
    names(&String::from_utf8_lossy(body)).any(|value| value.starts_with(char::is_control))
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("name").filter_map(|(at, name)| {
        let value = text[at + name.len()..].trim_start().strip_prefix('=')?;
        Some(value.trim_start().trim_start_matches('"'))
    })
}
