//! Stored addresses and keys: one file, which only its owner can read.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::key::Kind;

pub(crate) const DEFAULT: &str = "default";

/// An address, and the keys that were stored with it and go nowhere else: one for the organization, one for an app.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    pub(crate) base_url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) organization_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) app_key: Option<String>,
}

impl Profile {
    pub(crate) fn new(base_url: &str) -> Self {
        Profile { base_url: base_url.to_owned(), ..Profile::default() }
    }

    /// Adds a key, instead of an earlier one of its kind.
    pub(crate) fn with(mut self, key: String) -> Self {
        match Kind::of(&key) {
            Kind::App => self.app_key = Some(key),
            Kind::Admin | Kind::Session => self.organization_key = Some(key),
        }
        self
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.organization_key.iter().chain(&self.app_key)
    }
}

/// The stored profiles by name.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Profiles(pub(crate) BTreeMap<String, Profile>);

impl Profiles {
    pub(crate) fn read() -> Result<Self, Failure> {
        let path = path()?;
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Profiles::default()),
            Err(error) => return Err(Failure::Other(format!("{} cannot be read: {error}.", path.display()))),
        };
        check_private(&path)?;
        serde_json::from_str(&text).map_err(|error| {
            Failure::Other(format!("{} is damaged: {error}. Delete it, and log in again.", path.display()))
        })
    }

    /// Replaces the file in one step, so that it is never half written, and never readable by others.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        let path = path()?;
        let failed = |error: std::io::Error| Failure::Other(format!("{} cannot be written: {error}.", path.display()));
        let folder = path.parent().unwrap_or(Path::new("."));
        create_folder(folder).map_err(failed)?;
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        let mut file = create_private(&draft).map_err(failed)?;
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::Other(error.to_string()))?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let replaced = written.and_then(|()| std::fs::rename(&draft, &path));
        replaced.map_err(|error| {
            let _ = std::fs::remove_file(&draft);
            failed(error)
        })
    }
}

/// Returns where the profiles are stored.
pub(crate) fn path() -> Result<PathBuf, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("XDG_CONFIG_HOME").or_else(|| variable("APPDATA"));
    let folder = folder.or_else(|| variable("HOME").map(|home| home.join(".config")));
    let folder =
        folder.ok_or_else(|| Failure::Other("Set HOME or XDG_CONFIG_HOME, where keys are stored.".to_owned()))?;
    Ok(folder.join("messaging").join("credentials.json"))
}

#[cfg(unix)]
fn check_private(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt as _;
    let others = std::fs::metadata(path)?.mode() & 0o077;
    match others {
        0 => Ok(()),
        _ => Err(Failure::Credential(format!(
            "Other users can read {path}, which contains keys. Run `chmod 600 {path}`, and replace the keys if you share this machine.",
            path = path.display()
        ))),
    }
}

#[cfg(unix)]
fn create_private(path: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(unix)]
fn create_folder(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

// On Windows, the folder of a user's application data belongs to that user alone.
#[cfg(not(unix))]
fn check_private(_: &Path) -> Result<(), Failure> {
    Ok(())
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(not(unix))]
fn create_folder(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(path)
}
