//! Statuses and echoes in each documented form, and in odd ones.

mod directions;
mod echoes;
mod groups;
mod individuals;

use super::harness::{Case, expect_all};

/// Stands for the API's text for the platform's code 131026.
const UNDELIVERABLE: &str = "$UNDELIVERABLE";

#[tokio::test]
async fn each_status_leads_to_its_expected_record() {
    let mut cases: Vec<Case> = individuals::cases().into_iter().chain(groups::cases()).collect();
    for (n, case) in cases.iter_mut().enumerate() {
        case.value = case.value.replace("$NUMERIC", &format!("1650555{n:04}"));
    }
    expect_all("2107", cases).await;
}
