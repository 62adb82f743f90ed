//! `apps`.

use messaging_client::queries::PageQuery;
use messaging_client::types::CreateApp;
use serde_json::Value;

use super::messages::{collect, entries};
use crate::args::Apps;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

const COLUMNS: &[&str] = &["ID", "NAME", "SLUG", "MODE", "CREATED"];

pub(crate) async fn run(output: Output, session: &Session, apps: &Apps) -> Result<(), Failure> {
    let of_apps = session.organization()?.organization().apps();
    match apps {
        Apps::List => {
            let raw = collect(of_apps.list(&PageQuery::default()), usize::MAX).await?;
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Apps::Create { name, test } => {
            let app = CreateApp { name: name.clone(), test: test.then_some(true), ..CreateApp::default() };
            let app = of_apps.create(&app).await?;
            output.table(&app.raw, COLUMNS, &[row(&app.raw)])
        }
    }
}

fn row(app: &Value) -> Vec<String> {
    let text = |name: &str| app[name].as_str().unwrap_or_default().to_owned();
    let mode = if app["isTestApp"] == true { "test" } else { "live" };
    vec![text("id"), text("name"), text("slug"), mode.to_owned(), text("createdAt").chars().take(19).collect()]
}
