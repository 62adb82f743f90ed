//! `webhooks`.

use std::collections::BTreeMap;

use messaging_client::types::{CreateWebhook, SendTestEvent};
use serde_json::Value;

use super::messages::{collect, entries};
use super::{deliveries, pair};
use crate::args::Webhooks;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

const COLUMNS: &[&str] = &["ID", "URL", "STATE", "EVENTS"];

pub(crate) async fn run(output: Output, session: &Session, webhooks: &Webhooks) -> Result<(), Failure> {
    match webhooks {
        Webhooks::List { app } => {
            let scope = session.scope(app.app.as_deref())?;
            let raw = collect(scope.webhooks(), usize::MAX).await?;
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Webhooks::Create { url, events, headers, app } => {
            let scope = session.scope(app.app.as_deref())?;
            let mut pairs = BTreeMap::new();
            for header in headers {
                let (name, value) = pair(header, ':', "'NAME: VALUE'")?;
                pairs.insert(name.to_owned(), value.to_owned());
            }
            let webhook = CreateWebhook {
                url: url.clone(),
                events: events.iter().cloned().map(Into::into).collect(),
                headers: (!pairs.is_empty()).then_some(pairs),
            };
            let created = scope.create(&webhook).await?;
            output.table(&created.raw, COLUMNS, &[row(&created.raw)])?;
            match output.is_json {
                true => Ok(()),
                false => output.line(&format!("\nSigning secret, shown only now: {}", created.secret)),
            }
        }
        Webhooks::Test { webhook, event, app } => {
            let scope = session.scope(app.app.as_deref())?;
            let event = SendTestEvent { event: event.clone().map(Into::into) };
            let delivery = scope.test(webhook, &event).await?;
            output.table(&delivery.raw, deliveries::COLUMNS, &[deliveries::row(&delivery.raw)])
        }
        Webhooks::Recover(recover) => super::recover::run(output, session, recover).await,
    }
}

fn row(webhook: &Value) -> Vec<String> {
    let text = |name: &str| webhook[name].as_str().unwrap_or_default().to_owned();
    let events: Vec<_> = webhook["events"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let state = if webhook["disabledAt"].is_string() { "DISABLED" } else { "ACTIVE" };
    vec![text("id"), text("url"), state.to_owned(), events.join(", ")]
}
