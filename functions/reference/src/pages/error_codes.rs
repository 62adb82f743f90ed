//! The reference of error codes as Markdown.

use std::fmt::Write as _;

use api::status;
use domain::ErrorCode;

use super::error_words::{INTRODUCTION, RESERVED, carrier_codes, platform_codes, retry, test_mode, type_name};
use super::producers::producers;

/// Returns the text. Its links to operations are those of the OpenAPI document's texts, such as `#tag/media/POST/v1/media`.
pub fn error_codes() -> String {
    let (reserved, in_use): (Vec<ErrorCode>, Vec<ErrorCode>) =
        ErrorCode::ALL.iter().partition(|code| code.is_reserved());
    let sections = |codes: Vec<ErrorCode>| codes.into_iter().map(section).collect::<String>();
    format!(
        "# Error codes\n\n{INTRODUCTION}\n\n## Test mode\n\n{}\n\n## Codes\n{}\n## Reserved codes\n\n{RESERVED}\n{}",
        test_mode(),
        sections(in_use),
        sections(reserved)
    )
}

fn section(code: ErrorCode) -> String {
    let entry = code.entry();
    let mut text = format!(
        "\n### {code}\n\n{}\n\n- What to do: {}\n- HTTP status: {}\n- Type: `{}`\n- Retry: {}\n",
        entry.description,
        code.remedy(),
        status::of(entry.kind).as_u16(),
        type_name(entry.error_type),
        retry(entry.retryable)
    );
    for producer in producers(code) {
        let _ = writeln!(text, "- In test mode: [{}](#tag/{}){}", producer.action, producer.operation, producer.how);
    }
    for (name, codes) in [("WhatsApp", platform_codes(code)), ("Carrier", carrier_codes(code))] {
        let codes: Vec<String> = codes.into_iter().map(|(code, words)| format!("`{code}` {words}")).collect();
        if !codes.is_empty() {
            let _ = writeln!(text, "- {name} codes: {}", codes.join("; "));
        }
    }
    text
}
