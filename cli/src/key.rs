//! What a key tells about itself.

/// Whose credential it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Admin,
    App,
    /// A session token, which may only read.
    Session,
}

impl Kind {
    pub(crate) fn of(key: &str) -> Kind {
        match key {
            key if key.starts_with("sk_admin_") => Kind::Admin,
            key if key.starts_with("sk_live_app_") || key.starts_with("sk_test_app_") => Kind::App,
            _ => Kind::Session,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Admin => "admin key",
            Kind::App => "app key",
            Kind::Session => "session token",
        }
    }
}

/// Returns the mode of an app key. Admin keys of both modes look alike.
pub(crate) fn mode(key: &str) -> Option<&'static str> {
    match key {
        key if key.starts_with("sk_live_app_") => Some("live"),
        key if key.starts_with("sk_test_app_") => Some("test"),
        _ => None,
    }
}

/// Returns the id of the organization, which keys contain.
pub(crate) fn organization(key: &str) -> Option<String> {
    let rest = ["sk_admin_", "sk_live_app_", "sk_test_app_"].iter().find_map(|prefix| key.strip_prefix(prefix))?;
    rest.get(..27).map(|id| format!("org_{id}"))
}

/// Returns the end of a key, by which lists show it.
pub(crate) fn last_four(key: &str) -> &str {
    key.char_indices().nth_back(3).map_or("", |(index, _)| &key[index..])
}
