//! `webhooks recover`.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::Duration;

use messaging_client::types::RecoverWebhook;
use serde_json::Value;

use super::messages::note;
use crate::args::Recover;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

const COLUMNS: &[&str] = &["ID", "STATUS", "MATCHED", "DELIVERED", "FAILED", "PROCESSED UNTIL"];
/// The time between two looks at the recovery.
const PAUSE: Duration = Duration::from_secs(1);

pub(crate) async fn run(output: Output, session: &Session, options: &Recover) -> Result<(), Failure> {
    let scope = session.scope(options.app.app.as_deref())?;
    let wanted = RecoverWebhook {
        since: options.since.clone(),
        until: options.until.clone(),
        statuses: some(options.statuses.iter().cloned().map(Into::into).collect()),
        event_types: some(options.events.iter().cloned().map(Into::into).collect()),
        dry_run: options.dry_run.then_some(true),
    };
    let begun = scope.recover(&options.webhook, &wanted).await?;
    let (id, mut recovery) = (begun.id.clone(), begun.raw);
    while !options.no_wait && recovery["status"] == "RUNNING" {
        tokio::time::sleep(PAUSE).await;
        match scope.recovery(&options.webhook, &id).await {
            Ok(seen) => recovery = seen.raw,
            Err(error) if error.is_temporary() => note(&format!("{error} Retrying.")),
            Err(error) => return Err(error.into()),
        }
        draw(&recovery);
    }
    output.table(&recovery, COLUMNS, &[row(&recovery)])?;
    outcome(&recovery)
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// Shows the progress on a terminal.
fn draw(recovery: &Value) {
    if stderr().is_terminal() {
        let end = if recovery["status"] == "RUNNING" { "" } else { "\n" };
        // A line that cannot be drawn must not end the command.
        let _ = write!(stderr(), "\r{}{end}", progress(recovery));
    }
}

fn progress(recovery: &Value) -> String {
    let count = |name: &str| recovery[name].as_u64().unwrap_or_default();
    match recovery["dryRun"] == true {
        true => format!("{} found", count("matched")),
        false => format!("{} delivered, {} failed", count("delivered"), count("failed")),
    }
}

/// Fails if the recovery ended early, or if a delivery failed.
fn outcome(recovery: &Value) -> Result<(), Failure> {
    let failed = recovery["failed"].as_u64().unwrap_or_default();
    match (recovery["reason"].as_str(), failed) {
        (Some(reason), _) => Err(Failure::Negative(reason.to_owned())),
        (None, 0) => Ok(()),
        (None, failed) => Err(Failure::Negative(format!(
            "{failed} {} failed. Failed deliveries are retried on the usual schedule, except after a 410.",
            if failed == 1 { "delivery" } else { "deliveries" }
        ))),
    }
}

fn row(recovery: &Value) -> Vec<String> {
    let text = |name: &str| recovery[name].as_str().unwrap_or_default().to_owned();
    let count = |name: &str| recovery[name].to_string();
    let until = text("processedUntil").chars().take(19).collect();
    vec![text("id"), text("status"), count("matched"), count("delivered"), count("failed"), until]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{outcome, progress};

    #[test]
    fn the_exit_code_reports_failures() {
        assert!(outcome(&json!({"status": "COMPLETED", "failed": 0})).is_ok());
        for (recovery, expected) in [
            (json!({"status": "STOPPED", "failed": 4, "reason": "The receiver failed."}), "The receiver failed."),
            (json!({"status": "COMPLETED", "failed": 1}), "1 delivery failed. Failed"),
        ] {
            let told = outcome(&recovery).map_err(|failure| (failure.exit_code(), failure.text()));
            assert!(matches!(told, Err((6, Some(text))) if text.starts_with(expected)));
        }
    }

    #[test]
    fn progress_says_what_the_run_does() {
        assert_eq!(progress(&json!({"dryRun": true, "matched": 7})), "7 found");
        assert_eq!(progress(&json!({"dryRun": false, "delivered": 3, "failed": 1})), "3 delivered, 1 failed");
    }
}
