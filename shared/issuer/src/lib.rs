//! An identity provider over OpenID Connect: the authorization code flow with PKCE (RFC 7636), state and nonce.
//!
//! `handshake` derives what a browser must bring back from a cookie, `discovery` reads the provider's addresses and keys,
//! `exchange` redeems the code, and `token` verifies what comes back. Whoever signs in is known by issuer and subject.

mod discovery;
mod exchange;
mod handshake;
mod secret;
mod token;
mod verifier;

use std::sync::Arc;
use std::time::Duration;

use domain::Failure;
use domain::identity::person::Person;
use url::Url;
use web::{Http, Reuse, WebError};

use self::discovery::Directory;
pub use self::handshake::Handshake;
pub use self::secret::ClientSecret;

/// The time limit for connecting to the provider.
const CONNECT: Duration = Duration::from_secs(2);
/// The time limit of a call.
const CALL: Duration = Duration::from_secs(5);
/// The largest response in bytes: key sets are some kilobytes.
const LARGEST: usize = 256 * 1024;

/// The client that this installation is at a provider.
#[derive(Clone, Debug)]
pub struct IssuerSettings {
    /// The provider's URL, exactly as in its tokens.
    pub issuer: String,
    pub client_id: String,
    /// Where the provider sends people back to.
    pub redirect_url: String,
    /// Whether addresses count without the provider's word that they are verified.
    pub trusts_email: bool,
}

/// Why somebody could not sign in.
#[derive(Debug, thiserror::Error)]
pub enum IssuerError {
    #[error("the identity provider {0}")]
    Unavailable(&'static str),
    /// The response is not what was asked for: forged, replayed, or of a provider with other settings.
    #[error("the identity provider's response was refused: {0}")]
    Refused(&'static str),
    #[error("something failed on our side: {0:?}")]
    Internal(Failure),
}

impl From<Failure> for IssuerError {
    fn from(failure: Failure) -> Self {
        IssuerError::Internal(failure)
    }
}

impl From<WebError> for IssuerError {
    fn from(error: WebError) -> Self {
        IssuerError::Unavailable(match error {
            WebError::Unreachable { why, .. } => why,
            WebError::TooLong(_) => "sent too much",
            WebError::CutOff => "sent half of a response",
        })
    }
}

/// Who has signed in.
#[derive(Debug)]
pub struct Identity {
    pub person: Person,
    /// The address, if the provider vouches for it.
    pub email: Option<String>,
}

/// An identity provider.
#[derive(Clone)]
pub struct Issuer(Arc<Parts>);

struct Parts {
    settings: IssuerSettings,
    secret: Option<ClientSecret>,
    http: Http,
    directory: Directory,
}

impl Issuer {
    /// Returns access to a provider. Fails if its URL is none. Without TLS it must be on this machine.
    pub fn new(settings: IssuerSettings, secret: Option<ClientSecret>) -> Result<Self, String> {
        let url = Url::parse(&settings.issuer).map_err(|error| format!("SIGN_IN_ISSUER is not a URL: {error}."))?;
        let is_local = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        if url.scheme() != "https" && !is_local {
            return Err("SIGN_IN_ISSUER must begin with https://.".to_owned());
        }
        verifier::install();
        // Sign-ins are rare, and a kept connection that the provider has closed would make one fail.
        let http = Http::new(CONNECT, is_local, Reuse::Nothing)?;
        Ok(Issuer(Arc::new(Parts { settings, secret, http, directory: Directory::default() })))
    }

    /// Returns the provider's URL.
    pub fn url(&self) -> &str {
        &self.0.settings.issuer
    }

    /// Returns the address at the provider at which people sign in.
    pub async fn authorization_url(&self, handshake: &Handshake) -> Result<String, IssuerError> {
        let settings = &self.0.settings;
        let found = self.0.directory.addresses(&self.0.http, &settings.issuer).await?;
        let mut url = Url::parse(&found.authorization_endpoint)
            .map_err(|_| IssuerError::Unavailable("has no valid authorization_endpoint"))?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &settings.client_id)
            .append_pair("redirect_uri", &settings.redirect_url)
            .append_pair("scope", "openid email")
            .append_pair("state", &handshake.state())
            .append_pair("nonce", &handshake.nonce())
            .append_pair("code_challenge", &handshake.challenge())
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// Redeems the code that the provider has sent with somebody's browser, whose cookie is `handshake`.
    pub async fn identify(&self, code: &str, handshake: &Handshake) -> Result<Identity, IssuerError> {
        let parts = &self.0;
        let found = parts.directory.addresses(&parts.http, &parts.settings.issuer).await?;
        let id_token = exchange::redeem(parts, &found, code, handshake).await?;
        let claims = token::verify(parts, &found, &id_token).await?;
        if !handshake.is_nonce(claims.nonce.as_deref().unwrap_or_default()) {
            return Err(IssuerError::Refused("the token belongs to another sign-in"));
        }

        let is_verified = claims.is_email_verified(parts.settings.trusts_email);
        let email = claims.email.filter(|_| is_verified);
        Ok(Identity { person: Person::of(&parts.settings.issuer, &claims.sub), email })
    }
}
