//! `keys`.

use messaging_client::types::{CreateAdminKey, CreateAppKey};
use serde_json::{Value, json};

use crate::args::Keys;
use crate::failure::Failure;
use crate::output::Output;
use crate::profile::{DEFAULT, Profiles};
use crate::session::Session;

pub(crate) async fn run(output: Output, session: &Session, keys: &Keys, profile: Option<&str>) -> Result<(), Failure> {
    match keys {
        Keys::Create { app, name, test, save } => {
            // A profile that cannot take the key must not cost one.
            let mut profiles = if *save { Some(saving(session, profile)?) } else { None };
            let of_organization = session.organization()?.organization();
            let (mut raw, key) = match app {
                Some(app) => {
                    let made = of_organization.apps().keys().create(app, &CreateAppKey { name: name.clone() }).await?;
                    (made.raw, made.value.key)
                }
                None => {
                    let name = name.clone().unwrap_or_default();
                    let key = CreateAdminKey { name, test: test.then_some(true), ..CreateAdminKey::default() };
                    let made = of_organization.admin_keys().create(&key).await?;
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
        Keys::Revoke { id, app } => {
            let of_organization = session.organization()?.organization();
            match app {
                Some(app) => drop(of_organization.apps().keys().delete(app, id).await?),
                None if id.starts_with("key_app_") => {
                    return Err(Failure::Usage("--app: name the app that the key belongs to.".to_owned()));
                }
                None => drop(of_organization.admin_keys().delete(id).await?),
            }
            match output.is_json {
                true => output.json(&json!({"id": id, "revoked": true})),
                false => output.line(&format!("Revoked {id}.")),
            }
        }
    }
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
