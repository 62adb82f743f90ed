//! Payloads that differ from the documented forms in a type, a container or a missing field. The odd field is left out and kept
//! in `systemData`; everything else of the message is there.

mod contents;
mod scalars;
mod senders;
mod unreadable;

use super::harness::{Case, expect_all};

/// What the API shows of a text message.
const IS_TEXT: &str = r#""type": "text", "textBody": "Hi""#;

#[tokio::test]
async fn an_odd_field_costs_the_field_alone() {
    let cases = scalars::cases().into_iter().chain(contents::cases()).chain(senders::cases());
    let mut cases: Vec<Case> = cases.collect();
    for (n, case) in cases.iter_mut().enumerate() {
        case.value = case.value.replace("$NUMERIC", &format!("1650555{n:04}"));
    }
    expect_all("2102", cases).await;
}
