//! `login`, `logout` and `whoami`.

use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr, stdin};

use messaging_client::queries::PageQuery;
use messaging_client::{Client, Error};
use serde_json::{Value, json};

use super::first_line;
use crate::args::Login;
use crate::failure::Failure;
use crate::key::{Kind, last_four, mode, organization};
use crate::output::Output;
use crate::profile::{DEFAULT, Profile, Profiles, path};
use crate::session::Session;

pub(crate) async fn login(output: Output, login: &Login, profile: Option<&str>) -> Result<(), Failure> {
    let base_url = match &login.base_url {
        Some(url) => url.clone(),
        None => ask("Address of the installation (such as https://api.example.com): ")?,
    };
    // The address is checked before the key is asked for.
    let base_url = Client::builder().base_url(&base_url).without_api_key().build()?.base_url().to_owned();
    let key = match login.key_stdin {
        true => first_line(stdin().lock())?,
        false if stdin().is_terminal() => rpassword::prompt_password("Key (not shown): ")?,
        false => {
            return Err(Failure::Usage(
                "There is no terminal to ask for the key. Use --key-stdin and --base-url.".to_owned(),
            ));
        }
    };
    let key = key.trim().to_owned();
    if key.is_empty() {
        return Err(Failure::Usage("The key is empty.".to_owned()));
    }
    let seen = identity(&Client::new(&base_url, &key)?, &key).await?;
    let name = profile.unwrap_or(DEFAULT);
    let mut profiles = Profiles::read()?;
    // Keys that were stored with another address must not go to this one.
    let known = profiles.0.remove(name).filter(|known| known.base_url == base_url);
    profiles.0.insert(name.to_owned(), known.unwrap_or_else(|| Profile::new(&base_url)).with(key));
    profiles.write()?;
    match output.is_json {
        true => output.json(&json!({"profile": name, "baseUrl": base_url, "key": seen})),
        false => output.line(&format!(
            "Stored the {} of {} for {base_url} as profile {name} in {}.",
            text(&seen, "kind"),
            text(&seen, "organizationId"),
            path()?.display()
        )),
    }
}

pub(crate) fn logout(output: Output, profile: Option<&str>) -> Result<(), Failure> {
    let name = profile.unwrap_or(DEFAULT);
    let mut profiles = Profiles::read()?;
    let was_known = profiles.0.remove(name).is_some();
    if was_known {
        profiles.write()?;
    }
    match (output.is_json, was_known) {
        (true, _) => output.json(&json!({"profile": name, "removed": was_known})),
        (false, true) => output
            .line(&format!("Removed profile {name}. The key itself is still valid; `messaging keys revoke` ends it.")),
        (false, false) => output.line(&format!("There is no profile {name}.")),
    }
}

pub(crate) async fn whoami(output: Output, session: &Session) -> Result<(), Failure> {
    let mut keys = Vec::new();
    let mut failure = None;
    for key in session.profile.keys() {
        match identity(&session.client(key)?, key).await {
            Ok(seen) => keys.push(seen),
            Err(error) => {
                let mut seen = described(key);
                seen["error"] = json!(error.to_string());
                keys.push(seen);
                failure = Some(error);
            }
        }
    }

    let raw = json!({"baseUrl": session.profile.base_url, "source": session.source, "keys": keys});
    let row = |key: &Value| {
        ["kind", "mode", "organizationId", "organizationName", "lastFour"].map(|name| text(key, name)).to_vec()
    };
    if !output.is_json {
        output.line(&format!("{} ({})", session.profile.base_url, session.source))?;
    }
    let rows: Vec<_> = keys.iter().map(row).collect();
    output.table(&raw, &["KEY", "MODE", "ORGANIZATION", "NAME", "ENDS IN"], &rows)?;
    failure.map_or(Ok(()), |error| Err(error.into()))
}

fn described(key: &str) -> Value {
    let mut seen = json!({"kind": Kind::of(key).name(), "lastFour": last_four(key)});
    if let Some(mode) = mode(key) {
        seen["mode"] = json!(mode);
    }
    if let Some(id) = organization(key) {
        seen["organizationId"] = json!(id);
    }
    seen
}

/// Uses a key once, and returns what is known about it.
async fn identity(client: &Client, key: &str) -> Result<Value, Error> {
    let mut seen = described(key);
    let one = PageQuery { limit: Some(1), ..PageQuery::default() };
    match Kind::of(key) {
        Kind::Admin => {
            let settings = client.organization().settings().get().await?;
            seen["organizationName"] = settings.raw["name"].clone();
        }
        Kind::App => {
            client.phone_numbers().list(&one).await?;
        }
        Kind::Session => {
            client.organization().apps().list(&one).await?;
        }
    }
    Ok(seen)
}

fn ask(question: &str) -> Result<String, Failure> {
    if !stdin().is_terminal() {
        return Err(Failure::Usage(
            "There is no terminal to ask for the address. Use --key-stdin and --base-url.".to_owned(),
        ));
    }
    write!(stderr(), "{question}")?;
    stderr().flush()?;
    let mut line = String::new();
    stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}
