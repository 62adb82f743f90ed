//! `audit`: who changed what in the organization.

use messaging_client::queries::OrganizationAuditLogListQuery;
use serde_json::Value;

use super::messages::{collect, entries};
use crate::args::Audit;
use crate::failure::Failure;
use crate::output::{Output, short};
use crate::session::Session;

const COLUMNS: &[&str] = &["TIME", "ACTOR", "ACTION", "TARGET", "OUTCOME", "FROM", "CHANGES"];

pub(crate) async fn run(output: Output, session: &Session, audit: &Audit) -> Result<(), Failure> {
    let Audit { actor, action, target, outcome, since, until, limit } = audit.clone();
    let query = OrganizationAuditLogListQuery {
        actor,
        action,
        target,
        outcome: outcome.map(Into::into),
        since,
        until,
        ..OrganizationAuditLogListQuery::default()
    };
    let raw = collect(session.organization()?.organization().audit_log().list(&query), limit as usize).await?;
    let rows: Vec<_> = entries(&raw).map(row).collect();
    output.table(&raw, COLUMNS, &rows)
}

fn row(entry: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let actor = &entry["actor"];
    let changes: Vec<String> = entry["changes"].as_array().into_iter().flatten().map(change).collect();
    vec![
        text(&entry["at"]).chars().take(19).collect(),
        actor["id"].as_str().or(actor["kind"].as_str()).unwrap_or_default().to_owned(),
        text(&entry["action"]),
        text(&entry["target"]["id"]),
        text(&entry["outcome"]),
        text(&entry["sourceIp"]),
        short(&changes.join("; "), 80),
    ]
}

fn change(change: &Value) -> String {
    let text = |name: &str| change[name].as_str().unwrap_or("none");
    format!("{}: {} -> {}", text("field"), text("from"), text("to"))
}
