//! Which address and keys a command uses.

use std::path::PathBuf;

use messaging_client::Client;

use crate::failure::Failure;
use crate::key::Kind;
use crate::profile::{DEFAULT, Profile, Profiles};
use crate::scope::Scope;

pub(crate) const BASE_URL: &str = "MESSAGING_BASE_URL";
pub(crate) const API_KEY: &str = "MESSAGING_API_KEY";

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) profile: Profile,
    /// Where address and keys come from, for people.
    pub(crate) source: String,
    pub(crate) origin: Origin,
}

/// What chose address and keys.
#[derive(Debug)]
pub(crate) enum Origin {
    /// `--local`.
    Local,
    Environment,
    /// A stored profile, by its name.
    Profile(String),
}

impl Origin {
    /// Returns how a command begins that uses the same address and keys, such as `messaging --local`.
    pub(crate) fn program(&self) -> String {
        match self {
            Origin::Local => "messaging --local".to_owned(),
            Origin::Profile(name) if name != DEFAULT => format!("messaging --profile {}", quoted(name)),
            Origin::Environment | Origin::Profile(_) => "messaging".to_owned(),
        }
    }
}

impl Session {
    /// `--local` and `--profile` come first, then the environment, then the default profile.
    pub(crate) fn open(profile: Option<&str>, is_local: bool) -> Result<Session, Failure> {
        if is_local && profile.is_some() {
            return Err(Failure::Usage("Use either --local or --profile.".to_owned()));
        }
        if is_local {
            return local();
        }
        if profile.is_none()
            && let Some(session) = environment()?
        {
            return Ok(session);
        }
        let name = profile.unwrap_or(DEFAULT);
        match Profiles::read()?.0.remove(name) {
            Some(profile) => {
                let origin = Origin::Profile(name.to_owned());
                Ok(Session { profile, source: format!("profile {name}"), origin })
            }
            None => Err(Failure::Credential(format!(
                "There is no profile \"{name}\". Run `messaging login{}`, set {BASE_URL} and {API_KEY}, or use --local in a checkout where `make run` is running.",
                if name == DEFAULT { String::new() } else { format!(" --profile {name}") }
            ))),
        }
    }

    pub(crate) fn client(&self, key: &str) -> Result<Client, Failure> {
        Ok(Client::new(&self.profile.base_url, key)?)
    }

    /// For operations of the organization.
    pub(crate) fn organization(&self) -> Result<Client, Failure> {
        let key = self.profile.organization_key.as_ref().ok_or_else(|| self.missing(Kind::Admin))?;
        self.client(key)
    }

    /// For operations of an app.
    pub(crate) fn app(&self) -> Result<Client, Failure> {
        let key = self.profile.app_key.as_ref().ok_or_else(|| self.missing(Kind::App))?;
        self.client(key)
    }

    /// For webhooks and events: those of the app that is named, or those of the app key's app.
    pub(crate) fn scope(&self, app: Option<&str>) -> Result<Scope, Failure> {
        match app {
            Some(app) => Ok(Scope::App(self.organization()?, app.to_owned())),
            None if self.profile.app_key.is_some() => Ok(Scope::OwnApp(self.app()?)),
            None => Err(Failure::Credential(format!(
                "Name the app with --app, or use an app key; {} has none. `messaging apps list` shows the apps.",
                self.source
            ))),
        }
    }

    fn missing(&self, kind: Kind) -> Failure {
        let advice = match kind {
            Kind::App => {
                "Create one with `messaging keys create --app APP_ID --save`, or store yours with `messaging login`"
            }
            Kind::Admin | Kind::Session => "Store one with `messaging login`",
        };
        Failure::Credential(format!(
            "This command needs an {}, which {} does not have. {advice}.",
            kind.name(),
            self.source
        ))
    }
}

/// Returns a word of a command as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:+=@%,".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Both variables replace address and key together, so that no stored key goes to another address.
fn environment() -> Result<Option<Session>, Failure> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    match (variable(BASE_URL), variable(API_KEY)) {
        (Some(base_url), Some(key)) => {
            let profile = Profile::new(&base_url).with(key);
            Ok(Some(Session { profile, source: "the environment".to_owned(), origin: Origin::Environment }))
        }
        (None, None) => Ok(None),
        (Some(_), None) => Err(Failure::Usage(format!("{BASE_URL} is set without {API_KEY}. Set both, or neither."))),
        (None, Some(_)) => Err(Failure::Usage(format!("{API_KEY} is set without {BASE_URL}. Set both, or neither."))),
    }
}

/// Reads what `make run` has written: the admin key, and the key of the test app.
fn local() -> Result<Session, Failure> {
    let path = local_file()?;
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::Other(format!("{} cannot be read: {error}.", path.display())))?;
    let value = |name: &str| {
        let lines = text.lines().filter_map(|line| line.trim().trim_start_matches("export ").split_once('='));
        let mut values = lines.filter(|(known, _)| *known == name);
        values.next().map(|(_, value)| value.trim_matches(['\'', '"']).to_owned())
    };
    let missing = |name: &str| Failure::Other(format!("{} has no {name}. Start `make run` again.", path.display()));
    let mut profile = Profile::new(&value("BASE_URL").ok_or_else(|| missing("BASE_URL"))?);
    for name in ["ADMIN_KEY", "TEST_APP_KEY"] {
        profile = profile.with(value(name).ok_or_else(|| missing(name))?);
    }
    Ok(Session { profile, source: path.display().to_string(), origin: Origin::Local })
}

/// Looks for `.local/env` in this folder and those above it, unless the variable that moves it for `make run` is set.
fn local_file() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::var_os("LOCAL_ENV").filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    let here = std::env::current_dir()?;
    let found = here.ancestors().map(|folder| folder.join(".local/env")).find(|path| path.is_file());
    found.ok_or_else(|| {
        Failure::Credential(
            "There is no .local/env here or above. Start `make run` in the checkout, and use --local inside of it."
                .to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_stays_one_word_in_a_shell() {
        for (word, expected) in [
            ("https://example.com/hook", "https://example.com/hook"),
            ("+12015550123", "+12015550123"),
            ("https://example.com/?a=1&b=2", "'https://example.com/?a=1&b=2'"),
            ("it's", r"'it'\''s'"),
            ("$(id)", "'$(id)'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
