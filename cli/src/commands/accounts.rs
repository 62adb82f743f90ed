//! `accounts`: connecting and disconnecting accounts of the chat platform.

use std::fs::File;
use std::io::{IsTerminal as _, stdin};

use messaging_client::queries::PageQuery;
use messaging_client::types::ConnectAccount as Request;
use serde_json::Value;

use super::first_line;
use super::messages::{collect, entries};
use crate::args::{Accounts, ConnectAccount};
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

const COLUMNS: &[&str] = &["ID", "ACCOUNT", "NAME", "MODE", "STATE", "NUMBERS", "TOKEN EXPIRES", "HEALTH", "CHECKED"];

pub(crate) async fn run(output: Output, session: &Session, accounts: &Accounts) -> Result<(), Failure> {
    let profiles = session.organization()?.organization().chat().business_profiles();
    match accounts {
        Accounts::List => {
            let raw = collect(profiles.list(&PageQuery::default()), usize::MAX).await?;
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Accounts::Connect(connect) => {
            let request = Request {
                access_token: token(connect)?,
                waba_id: connect.account.clone(),
                business_id: connect.business.clone(),
                test: connect.test.then_some(true),
            };
            let raw = profiles.connect(&request).await?.raw;
            output.table(&raw, COLUMNS, &[row(&raw)])
        }
        Accounts::Disconnect { id } => {
            let raw = profiles.disconnect(id).await?.raw;
            output.table(&raw, COLUMNS, &[row(&raw)])
        }
    }
}

fn token(connect: &ConnectAccount) -> Result<String, Failure> {
    let token = match &connect.token_file {
        Some(path) => {
            let unreadable = |error| Failure::Usage(format!("{} cannot be read: {error}.", path.display()));
            first_line(File::open(path).map_err(unreadable)?).map_err(unreadable)?
        }
        None if connect.token_stdin => first_line(stdin().lock())?,
        None if stdin().is_terminal() => rpassword::prompt_password("Access token (not shown): ")?,
        None => {
            return Err(Failure::Usage(
                "There is no terminal to ask for the token. Use --token-stdin or --token-file.".to_owned(),
            ));
        }
    };
    match token.trim() {
        "" => Err(Failure::Usage("The access token is empty.".to_owned())),
        token => Ok(token.to_owned()),
    }
}

fn row(profile: &Value) -> Vec<String> {
    let text = |name: &str| profile[name].as_str().unwrap_or_default().to_owned();
    let time = |value: &Value| value.as_str().unwrap_or("-").chars().take(19).collect::<String>();
    let mode = if profile["isTestProfile"] == true { "test" } else { "live" };
    let state = if profile["disconnectedAt"].is_string() { "DISCONNECTED" } else { "CONNECTED" };
    let numbers = profile["phoneNumbers"].as_array().map_or(0, Vec::len);
    let token = if profile["tokenExpiresAt"].is_null() { "never".to_owned() } else { time(&profile["tokenExpiresAt"]) };
    let health = profile["health"]["status"].as_str().unwrap_or("-");
    vec![
        text("id"),
        text("providerWabaId"),
        text("businessName"),
        mode.to_owned(),
        state.to_owned(),
        numbers.to_string(),
        token,
        health.to_owned(),
        time(&profile["health"]["checkedAt"]),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{COLUMNS, row};

    #[test]
    fn a_row_has_the_state_of_an_account_and_its_health() {
        let healthy = json!({"id": "wabp_1", "providerWabaId": "10", "businessName": "Acme", "isTestProfile": false,
            "tokenExpiresAt": "2026-12-31T00:00:00.000Z", "phoneNumbers": [{}, {}],
            "health": {"status": "WARNING", "checkedAt": "2026-11-23T10:00:00.000Z", "problems": [{}]}});
        let expected =
            ["wabp_1", "10", "Acme", "live", "CONNECTED", "2", "2026-12-31T00:00:00", "WARNING", "2026-11-23T10:00:00"];
        assert_eq!(row(&healthy), expected);
        let given_up = json!({"id": "wabp_2", "isTestProfile": true, "tokenExpiresAt": null, "phoneNumbers": [],
            "disconnectedAt": "2026-11-23T10:00:00.000Z"});
        assert_eq!(row(&given_up), ["wabp_2", "", "", "test", "DISCONNECTED", "0", "never", "-", "-"]);
        assert_eq!(COLUMNS.len(), expected.len());
    }
}
