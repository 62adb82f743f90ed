//! What ties a browser to its sign-in: a random cookie, from which state, nonce and code verifier are derived.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::Timestamp;
use domain::identity::credential::Secret;
use domain::port::Random;
use ring::{digest, hmac};

/// How long a sign-in may take.
const LIFETIME: Duration = Duration::from_secs(600);

/// The cookie of a sign-in: when it began, and 256 random bits. A changed time has another state.
#[derive(Debug)]
pub struct Handshake(Secret);

impl Handshake {
    /// Begins a sign-in.
    pub fn begin(now: Timestamp, random: &dyn Random) -> Self {
        let mut bits = [0; 32];
        random.fill(&mut bits);
        Handshake(Secret::new(format!("{}.{}", now.seconds(), URL_SAFE_NO_PAD.encode(bits))))
    }

    /// Returns the sign-in of a cookie, unless it began too long ago.
    pub fn of_cookie(cookie: &str, now: Timestamp) -> Option<Self> {
        let (began, _) = cookie.split_once('.')?;
        let age = now.seconds().checked_sub(began.parse().ok()?)?;
        (0..=LIFETIME.as_secs().cast_signed()).contains(&age).then(|| Handshake(Secret::new(cookie)))
    }

    /// Returns the value of the cookie.
    pub fn cookie(&self) -> &Secret {
        &self.0
    }

    /// How long the cookie is kept, in seconds.
    pub fn lifetime() -> u64 {
        LIFETIME.as_secs()
    }

    pub(crate) fn state(&self) -> String {
        self.derived("state")
    }

    pub(crate) fn nonce(&self) -> String {
        self.derived("nonce")
    }

    /// Returns the code verifier, which only the token request has.
    pub(crate) fn verifier(&self) -> String {
        self.derived("verifier")
    }

    pub(crate) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, self.verifier().as_bytes()))
    }

    /// Whether a state is the one of this sign-in.
    pub fn is_state(&self, sent: &str) -> bool {
        self.is_derived("state", sent)
    }

    pub(crate) fn is_nonce(&self, sent: &str) -> bool {
        self.is_derived("nonce", sent)
    }

    fn derived(&self, what: &str) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.key(), what.as_bytes()))
    }

    /// Compares in constant time.
    fn is_derived(&self, what: &str, sent: &str) -> bool {
        let sent = URL_SAFE_NO_PAD.decode(sent).unwrap_or_default();
        hmac::verify(&self.key(), what.as_bytes(), &sent).is_ok()
    }

    fn key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, self.0.expose().as_bytes())
    }
}
