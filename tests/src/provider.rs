//! An identity provider in the test's process, which says what the test tells it to say. tools/ci signs people in with a provider
//! that is not ours.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use issuer::{ClientSecret, Issuer, IssuerSettings};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::receiver::{Got, Receiver, status};

pub const CLIENT: &str = "the-installation";

/// What the provider answers to the next codes.
#[derive(Clone, Default)]
pub struct Plan {
    /// The token, or nothing if the code is refused.
    pub id_token: Option<String>,
    /// The code challenge of the sign-in, which the code verifier must match.
    pub challenge: String,
}

#[derive(Clone)]
pub struct Provider {
    /// The URL of the issuer.
    pub url: String,
    receiver: Receiver,
    key: Arc<EcdsaKeyPair>,
    pub plan: Arc<Mutex<Plan>>,
}

pub fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap()
}

impl Provider {
    pub fn start() -> Provider {
        let (key, plan) = (Arc::new(new_key()), Arc::<Mutex<Plan>>::default());
        // The address is known once it listens.
        let url = Arc::<Mutex<String>>::default();
        let own = (url.clone(), key.clone(), plan.clone());
        let receiver = Receiver::start(Arc::new(move |_, got| {
            let body = answer(got, &own.0.lock().unwrap(), &own.1, &own.2.lock().unwrap());
            (Duration::ZERO, body)
        }));
        let (origin, _) = receiver.url.rsplit_once('/').unwrap();
        origin.clone_into(&mut url.lock().unwrap());
        Provider { url: origin.to_owned(), receiver, key, plan }
    }

    /// The installation's access to the provider.
    pub fn issuer(&self, trusts_email: bool) -> Issuer {
        Issuer::new(self.settings(trusts_email), None).unwrap()
    }

    /// The same as a client with a secret, which the provider compares.
    pub fn issuer_with_secret(&self, secret: ClientSecret) -> Issuer {
        Issuer::new(self.settings(false), Some(secret)).unwrap()
    }

    fn settings(&self, trusts_email: bool) -> IssuerSettings {
        IssuerSettings {
            issuer: self.url.clone(),
            client_id: CLIENT.to_owned(),
            redirect_url: format!("{}/v1/sign-in/callback", crate::settings::API_URL),
            trusts_email,
        }
    }

    /// The headers of requests that redeem a code.
    pub fn authorizations(&self) -> Vec<Option<String>> {
        let got = self.receiver.got_undocumented();
        let redeemed = got.iter().filter(|got| got.head.ends_with("/token"));
        redeemed.map(|got| Some(got.headers.get("authorization")?.to_str().unwrap().to_owned())).collect()
    }

    /// How often a path was requested.
    pub fn count(&self, path: &str) -> usize {
        self.receiver.got_undocumented().iter().filter(|got| got.head.ends_with(path)).count()
    }

    /// Returns a token with claims, as the provider signs it.
    pub fn token(&self, claims: &Value) -> String {
        self.token_with(&json!({"alg": "ES256", "kid": "own"}), claims)
    }

    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        signed(&self.key, header, claims)
    }

    /// Returns the point of the provider's key, which is public.
    pub fn point(&self) -> &[u8] {
        self.key.public_key().as_ref()
    }
}

/// Returns a token that is signed with a key that the provider does not have.
pub fn forged(claims: &Value) -> String {
    signed(&new_key(), &json!({"alg": "ES256", "kid": "own"}), claims)
}

fn signed(key: &EcdsaKeyPair, header: &Value, claims: &Value) -> String {
    let message = format!("{}.{}", encoded(header), encoded(claims));
    let signature = key.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
}

fn answer(got: &Got, url: &str, key: &EcdsaKeyPair, plan: &Plan) -> Vec<u8> {
    if got.head.ends_with("/.well-known/openid-configuration") {
        return reply(&json!({
            "issuer": url, "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"), "jwks_uri": format!("{url}/keys"),
        }));
    }
    if got.head.ends_with("/keys") {
        let (x, y) = key.public_key().as_ref()[1..].split_at(32);
        let own = json!({
            "kty": "EC", "crv": "P-256", "kid": "own", "use": "sig",
            "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
        });
        let unknown = json!({"kty": "PQ", "kid": "of-the-future"});
        return reply(&json!({"keys": [unknown, own]}));
    }

    let field = |name: &str| {
        form_urlencoded::parse(&got.body).find(|(own, _)| own == name).map(|(_, value)| value.into_owned())
    };
    let verifier = field("code_verifier").unwrap_or_default();
    let is_right = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes())) == plan.challenge;
    match &plan.id_token {
        Some(token) if is_right => reply(&json!({"id_token": token, "access_token": "unused"})),
        _ => status(400)(0, got).1,
    }
}

fn reply(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
