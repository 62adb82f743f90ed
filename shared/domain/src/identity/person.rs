//! People as identity providers know them: by issuer and subject, of which only a hash is stored.

use serde::{Deserialize, Serialize};

use crate::identity::credential::Secret;

/// Who somebody is to an identity provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Person(String);

impl Person {
    /// Returns the person with a subject of an issuer. The length of the issuer tells where it ends.
    pub fn of(issuer: &str, subject: &str) -> Self {
        Person(Secret::new(format!("{}:{issuer}{subject}", issuer.len())).sha256())
    }

    /// Returns the hash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
