//! `deliveries`.

use messaging_client::queries::WebhooksDeliveriesListQuery;
use serde_json::Value;

use super::messages::{collect, entries};
use crate::args::Deliveries;
use crate::failure::Failure;
use crate::output::{Output, short};
use crate::session::Session;

pub(crate) const COLUMNS: &[&str] = &["ID", "TIME", "EVENT", "STATUS", "ATTEMPTS", "LAST RESPONSE", "NEXT ATTEMPT"];

pub(crate) async fn run(output: Output, session: &Session, deliveries: &Deliveries) -> Result<(), Failure> {
    match deliveries {
        Deliveries::List { webhook, app, status, limit, all } => {
            let scope = session.scope(app.app.as_deref())?;
            let wanted = if *all { usize::MAX } else { *limit as usize };
            let status = status.clone().map(Into::into);
            let query = WebhooksDeliveriesListQuery { status, ..WebhooksDeliveriesListQuery::default() };
            let raw = collect(scope.deliveries(webhook, &query), wanted).await?;
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Deliveries::Show { webhook, delivery, app } => {
            let scope = session.scope(app.app.as_deref())?;
            let shown = scope.delivery(webhook, delivery).await?.raw;
            if output.is_json {
                return output.json(&shown);
            }
            output.table(&shown, COLUMNS, &[row(&shown)])?;
            let attempts: Vec<_> = shown["attempts"].as_array().into_iter().flatten().map(attempt).collect();
            output.line("")?;
            output.table(&shown, &["ATTEMPTED", "STATUS", "TOOK", "RESPONSE"], &attempts)
        }
        Deliveries::Redeliver { webhook, delivery, app } => {
            let scope = session.scope(app.app.as_deref())?;
            let again = scope.redeliver(webhook, delivery).await?;
            output.table(&again.raw, COLUMNS, &[row(&again.raw)])
        }
    }
}

pub(crate) fn row(delivery: &Value) -> Vec<String> {
    let text = |name: &str| delivery[name].as_str().unwrap_or_default().to_owned();
    let attempts = delivery["attempts"].as_array();
    let last = attempts.and_then(|attempts| attempts.last());
    vec![
        text("id"),
        text("createdAt").chars().take(19).collect(),
        text("eventType"),
        text("status"),
        attempts.map_or(0, Vec::len).to_string(),
        last.map(answer).unwrap_or_default(),
        text("nextAttemptAt").chars().take(19).collect(),
    ]
}

fn attempt(attempt: &Value) -> Vec<String> {
    let text = |name: &str| attempt[name].as_str().unwrap_or_default().to_owned();
    vec![
        text("attemptedAt"),
        answer(attempt),
        format!("{} ms", attempt["durationMs"]),
        short(&text("responseBody"), 80),
    ]
}

fn answer(attempt: &Value) -> String {
    match (attempt["statusCode"].as_u64(), attempt["error"].as_str()) {
        (Some(status), _) => status.to_string(),
        (None, error) => short(error.unwrap_or("none"), 40),
    }
}
