//! `check`: what the platform thinks of the installation, its accounts and their numbers.

use messaging_client::queries::OrganizationChatPlatformCheckGetQuery;
use serde_json::Value;

use super::messages::entries;
use crate::args::Check;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

pub(crate) async fn run(output: Output, session: &Session, check: &Check) -> Result<(), Failure> {
    let query = OrganizationChatPlatformCheckGetQuery { profile_id: check.profile_id.clone() };
    let raw = session.organization()?.organization().chat().platform_check().get(&query).await?.raw;
    let rows: Vec<_> = entries(&raw).map(row).collect();
    output.table(&raw, &["STATUS", "CHECK", "SUBJECT", "FOUND", "REMEDY"], &rows)?;
    match entries(&raw).filter(|finding| finding["status"] != "OK").count() {
        0 => Ok(()),
        1 => Err(Failure::Negative("1 problem found.".to_owned())),
        several => Err(Failure::Negative(format!("{several} problems found."))),
    }
}

fn row(finding: &Value) -> Vec<String> {
    ["status", "check", "subject", "message", "remedy"]
        .map(|name| finding[name].as_str().unwrap_or_default().to_owned())
        .to_vec()
}
