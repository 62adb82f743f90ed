//! Other bodies for requests, with which a reused `Idempotency-Key` is refused.

use serde_json::{Value, json};

/// Another valid body for an operation that takes JSON.
pub(super) fn other_body(template: &str, body: &[u8]) -> Value {
    let mut body: Value = serde_json::from_slice(body).unwrap_or(json!({}));
    let text = if body["text"].is_object() { json!({"body": "Other"}) } else { json!("Other") };
    // Names of templates are in lower case.
    let name = if template.ends_with("/chat/templates") { json!("other") } else { json!("Other") };
    // The code that verifies a number has six digits.
    let code = if template.ends_with("/verify-code") { json!("654321") } else { json!("other") };
    let others = [
        ("text", text),
        ("subject", json!("Other")),
        ("name", name),
        ("number", json!("+12015550177")),
        ("url", json!("https://example.com/other")),
        ("successUrl", json!("https://example.com/other")),
        ("fileSize", json!(11)),
        ("code", code),
        ("accessToken", json!("other")),
        ("pin", json!("654321")),
        ("codeMethod", json!("VOICE")),
        ("displayPhoneNumber", json!("+12015550178")),
        ("chatBusinessProfileId", json!("wabp_other")),
        ("field", json!("history")),
        ("scenario", json!("account_reviewed")),
        ("since", json!("2026-01-02T00:00:00Z")),
        ("phoneNumberId", json!("ph_0ujtsYcgvSTl8PAuAdqWYSMnLOv")),
        ("users", json!(["+12015550177"])),
        ("participants", json!(["+12015550177"])),
        ("joinRequestIds", json!(["other"])),
        ("messageId", json!("msg_wa_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv")),
    ];
    let other = others.into_iter().find(|(field, _)| body.get(field).is_some());
    let (field, value) = other.unwrap_or_else(|| match template.rsplit('/').next().unwrap() {
        "keys" => ("name", json!("Other")),
        "test" => ("event", json!("messages.sms.sent")),
        "rotate" | "rotate-secret" => ("gracePeriodSeconds", json!(1)),
        _ => panic!("{template}"),
    });
    body[field] = value;
    body
}
