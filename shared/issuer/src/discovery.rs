//! The addresses and keys of a provider (OpenID Connect Discovery 1.0). Both are kept for an hour; a key that is not among
//! them is looked for again, at most once per minute.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use jsonwebtoken::jwk::Jwk;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use web::Http;

use crate::{CALL, IssuerError, LARGEST};

const KEPT: Duration = Duration::from_secs(3600);
const BETWEEN_SEARCHES: Duration = Duration::from_secs(60);

/// The addresses of a provider.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Addresses {
    issuer: String,
    pub(crate) authorization_endpoint: String,
    pub(crate) token_endpoint: String,
    pub(crate) jwks_uri: String,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

impl Addresses {
    /// Whether the provider wants the client's secret in the body. By default, it is a header.
    pub(crate) fn wants_secret_in_body(&self) -> bool {
        let methods = &self.token_endpoint_auth_methods_supported;
        let supports = |name: &str| methods.iter().any(|method| method == name);
        supports("client_secret_post") && !supports("client_secret_basic")
    }
}

#[derive(Deserialize)]
struct KeySet {
    /// Keys of kinds that the library does not know are passed over.
    keys: Vec<Value>,
}

/// What is known of a provider.
#[derive(Default)]
pub(crate) struct Directory {
    addresses: Mutex<Option<(Instant, Addresses)>>,
    keys: Mutex<Option<(Instant, Vec<Jwk>)>>,
}

impl Directory {
    pub(crate) async fn addresses(&self, http: &Http, issuer: &str) -> Result<Addresses, IssuerError> {
        if let Some(known) = recent(&self.addresses, KEPT) {
            return Ok(known);
        }
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let found: Addresses = get(http, &url).await?;
        if found.issuer != issuer {
            return Err(IssuerError::Refused("its configuration names another issuer than SIGN_IN_ISSUER"));
        }
        keep(&self.addresses, &found);
        Ok(found)
    }

    /// Returns the key with an id. A token without an id is of the only key.
    pub(crate) async fn key(&self, http: &Http, found: &Addresses, id: Option<&str>) -> Result<Jwk, IssuerError> {
        let unknown = || IssuerError::Refused("the token is signed with an unknown key");
        if let Some(key) = recent(&self.keys, KEPT).and_then(|keys| named(keys, id)) {
            return Ok(key);
        }
        if recent(&self.keys, BETWEEN_SEARCHES).is_some() {
            return Err(unknown());
        }

        let set: KeySet = get(http, &found.jwks_uri).await?;
        let keys: Vec<Jwk> = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect();
        keep(&self.keys, &keys);
        named(keys, id).ok_or_else(unknown)
    }
}

fn named(keys: Vec<Jwk>, id: Option<&str>) -> Option<Jwk> {
    match id {
        Some(id) => keys.into_iter().find(|key| key.common.key_id.as_deref() == Some(id)),
        None => <[Jwk; 1]>::try_from(keys).ok().map(|[only]| only),
    }
}

fn recent<T: Clone>(kept: &Mutex<Option<(Instant, T)>>, for_at_most: Duration) -> Option<T> {
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.as_ref().filter(|(at, _)| at.elapsed() < for_at_most).map(|(_, value)| value.clone())
}

fn keep<T: Clone>(place: &Mutex<Option<(Instant, T)>>, value: &T) {
    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), value.clone()));
}

async fn get<T: DeserializeOwned>(http: &Http, url: &str) -> Result<T, IssuerError> {
    let request = Request::get(url).header("accept", "application/json").body(Full::new(Bytes::new()));
    let request = request.map_err(|_| IssuerError::Unavailable("has an invalid address in its configuration"))?;
    let answer = web::within(CALL, async { http.exchange(request, LARGEST).await }).await?;
    if !answer.status.is_success() {
        return Err(IssuerError::Unavailable("does not show its configuration"));
    }
    serde_json::from_slice(&answer.body).map_err(|_| IssuerError::Unavailable("has a configuration without addresses"))
}
