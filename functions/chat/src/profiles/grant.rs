//! The ways in which a caller gives access to an account: with the authorization code of an embedded signup, or with an
//! access token.

use domain::Mode;
use domain::identity::credential::Secret;
use platform::AccessToken;

/// The code or token that the caller sends.
pub(crate) enum Grant {
    /// The platform exchanges it for an access token, once.
    Code { code: Secret, redirect_uri: Option<String> },
    /// Gives access to this account.
    Token { token: AccessToken, account: String },
}

impl Grant {
    /// Returns the hash that identifies the request. It covers the mode, because a simulated code can equal a live one, and
    /// the account, because a token can give access to several.
    pub(super) fn hash(&self, mode: Mode) -> String {
        let mode = mode.as_str();
        let identity = match self {
            Grant::Code { code, .. } => format!("{mode}\n{}", code.expose()),
            Grant::Token { token, account } => format!("{mode}\ntoken\n{account}\n{}", token.expose()),
        };
        Secret::new(identity).sha256()
    }

    /// Returns the name of the field in which the caller sent it.
    pub(super) fn param(&self) -> &'static str {
        match self {
            Grant::Code { .. } => "code",
            Grant::Token { .. } => "accessToken",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_identified_by_mode_token_and_account() {
        let token = |account: &str| Grant::Token { token: Secret::new("t".to_owned()), account: account.to_owned() };
        let code = Grant::Code { code: Secret::new("t".to_owned()), redirect_uri: None };
        let hashes = [
            token("1").hash(Mode::Live),
            token("2").hash(Mode::Live),
            token("1").hash(Mode::Test),
            code.hash(Mode::Live),
            code.hash(Mode::Test),
        ];
        assert_eq!(hashes.iter().collect::<std::collections::HashSet<_>>().len(), hashes.len());
    }
}
