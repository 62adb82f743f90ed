//! The reasons for which a credential is rejected.

use std::borrow::Cow;

use crate::identity::credential_kind::CredentialKind;

/// The authentication errors (docs/specification.md, "Credentials"), whose responses have a body format of their
/// own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unauthenticated {
    MissingHeader,
    /// The header does not have the form `Bearer <key>`.
    WrongScheme,
    InvalidKey,
    /// The credential is valid, but of a kind that the operation does not accept.
    WrongKind {
        takes: &'static [CredentialKind],
        given: CredentialKind,
    },
}

impl Unauthenticated {
    pub fn message(self) -> Cow<'static, str> {
        match self {
            Unauthenticated::MissingHeader => "Missing Authorization header".into(),
            Unauthenticated::WrongScheme => "Missing Authorization header: expected \"Bearer <key>\"".into(),
            Unauthenticated::InvalidKey => "Invalid API key".into(),
            Unauthenticated::WrongKind { takes, given } => {
                let takes: Vec<String> = takes.iter().map(ToString::to_string).collect();
                let takes = takes.join(" or ");
                format!("Invalid credentials: this operation takes {takes}, but this is {given}.").into()
            }
        }
    }
}
