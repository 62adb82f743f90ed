//! `keys`.

use messaging_client::queries::PageQuery;
use messaging_client::types::{CreateAdminKey, CreateAppKey, RotateKey, SetRateLimit};
use serde_json::{Value, json};

use super::messages::{collect, entries};
use crate::args::Keys;
use crate::failure::Failure;
use crate::output::Output;
use crate::profile::{DEFAULT, Profiles};
use crate::session::Session;

const COLUMNS: &[&str] = &["ID", "NAME", "ENDS IN", "CREATED", "LAST USED", "EXPIRES", "RATE", "SCOPES", "NETWORKS"];

pub(crate) async fn run(output: Output, session: &Session, keys: &Keys, profile: Option<&str>) -> Result<(), Failure> {
    match keys {
        Keys::Create { app, name, test, save, scopes, allowed_ips, expires_at, rate, burst } => {
            // A profile that cannot take the key must not cost one.
            let mut profiles = if *save { Some(saving(session, profile)?) } else { None };
            let of_organization = session.organization()?.organization();
            let scopes = some(scopes.iter().cloned().map(Into::into).collect());
            let (allowed_ips, expires_at) = (some(allowed_ips.clone()), expires_at.clone());
            let rate_limit = rate.map(|rate| SetRateLimit { requests_per_second: rate, burst: *burst });
            let (mut raw, key) = match app {
                Some(app) => {
                    let wanted = CreateAppKey { name: name.clone(), scopes, allowed_ips, expires_at, rate_limit };
                    let made = of_organization.apps().keys().create(app, &wanted).await?;
                    (made.raw, made.value.key)
                }
                None => {
                    let (name, test) = (name.clone().unwrap_or_default(), test.then_some(true));
                    let wanted = CreateAdminKey { name, test, scopes, allowed_ips, expires_at, rate_limit };
                    let made = of_organization.admin_keys().create(&wanted).await?;
                    (made.raw, made.value.key)
                }
            };
            let Some(profiles) = &mut profiles else { return output.fields(&raw) };
            let name = profile.unwrap_or(DEFAULT);
            let known = profiles.0.remove(name).unwrap_or_default();
            profiles.0.insert(name.to_owned(), known.with(key));
            profiles.write()?;
            raw["key"] = Value::Null;
            raw["profile"] = json!(name);
            output.fields(&raw)
        }
        Keys::List { app } => {
            let of_organization = session.organization()?.organization();
            let all = PageQuery::default();
            let raw = match app {
                Some(app) => collect(of_organization.apps().keys().list(app, &all), usize::MAX).await?,
                None => collect(of_organization.admin_keys().list(&all), usize::MAX).await?,
            };
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Keys::Rotate { id, app, grace } => {
            let of_organization = session.organization()?.organization();
            let how = RotateKey { grace_period_seconds: *grace };
            let raw = match app {
                Some(app) => of_organization.apps().keys().rotate(app, id, &how).await?.raw,
                None if id.starts_with("key_app_") => return Err(without_app()),
                None => of_organization.admin_keys().rotate(id, &how).await?.raw,
            };
            output.fields(&raw)
        }
        Keys::Revoke { id, app } => {
            let of_organization = session.organization()?.organization();
            match app {
                Some(app) => drop(of_organization.apps().keys().delete(app, id).await?),
                None if id.starts_with("key_app_") => return Err(without_app()),
                None => drop(of_organization.admin_keys().delete(id).await?),
            }
            match output.is_json {
                true => output.json(&json!({"id": id, "revoked": true})),
                false => output.line(&format!("Revoked {id}.")),
            }
        }
    }
}

fn without_app() -> Failure {
    Failure::Usage("--app: name the app that the key belongs to.".to_owned())
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

fn row(key: &Value) -> Vec<String> {
    let text = |name: &str| key[name].as_str().unwrap_or_default().to_owned();
    let joined = |name: &str, all: &str| match key[name].as_array() {
        Some(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        None => all.to_owned(),
    };
    let time = |name: &str, none: &str| key[name].as_str().unwrap_or(none).chars().take(19).collect();
    let rate = &key["rateLimit"]["requestsPerSecond"];
    vec![
        text("id"),
        text("name"),
        text("lastFour"),
        time("createdAt", ""),
        time("lastUsedAt", "never"),
        time("expiresAt", "never"),
        if rate.is_null() { "any".to_owned() } else { format!("{rate}/s") },
        joined("scopes", "all"),
        joined("allowedIps", "all"),
    ]
}

/// Returns the profiles, if the key belongs to the one that is used.
fn saving(session: &Session, profile: Option<&str>) -> Result<Profiles, Failure> {
    let profiles = Profiles::read()?;
    let known = profiles.0.get(profile.unwrap_or(DEFAULT));
    match known.filter(|known| known.base_url == session.profile.base_url) {
        Some(_) => Ok(profiles),
        None => Err(Failure::Usage(
            "--save: the key belongs to no stored profile. Log in first, and unset the variables of the environment."
                .to_owned(),
        )),
    }
}
