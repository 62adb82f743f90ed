//! The request that redeems a code.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::Failure;
use domain::identity::credential::Secret;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request};
use http_body_util::Full;
use serde::Deserialize;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::discovery::Addresses;
use crate::{CALL, Handshake, IssuerError, LARGEST, Parts};

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

/// Returns the token that says who has signed in.
pub(crate) async fn redeem(
    parts: &Parts,
    found: &Addresses,
    code: &str,
    handshake: &Handshake,
) -> Result<String, IssuerError> {
    let secret = match &parts.secret {
        Some(secret) => Some(secret.value().await?),
        None => None,
    };
    let request = request(parts, found, code, handshake, secret.as_ref())?;
    let answer = web::within(CALL, async { parts.http.exchange(request, LARGEST).await }).await?;
    if answer.status.is_client_error() {
        return Err(IssuerError::Refused("the code was not accepted"));
    }
    if !answer.status.is_success() {
        return Err(IssuerError::Unavailable("does not redeem codes"));
    }
    let tokens: Tokens =
        serde_json::from_slice(&answer.body).map_err(|_| IssuerError::Refused("there is no id_token"))?;
    Ok(tokens.id_token)
}

/// A public client shows the code verifier only; any other one its secret, too.
fn request(
    parts: &Parts,
    found: &Addresses,
    code: &str,
    handshake: &Handshake,
    secret: Option<&Secret>,
) -> Result<Request<Full<Bytes>>, IssuerError> {
    let settings = &parts.settings;
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code")
        .append_pair("code", code)
        .append_pair("redirect_uri", &settings.redirect_url)
        .append_pair("code_verifier", &handshake.verifier());

    let mut request = Request::post(&found.token_endpoint)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ACCEPT, "application/json");
    match secret {
        Some(secret) if !found.wants_secret_in_body() => {
            request = request.header(AUTHORIZATION, basic(&settings.client_id, secret.expose())?);
        }
        Some(secret) => {
            form.append_pair("client_id", &settings.client_id).append_pair("client_secret", secret.expose());
        }
        None => {
            form.append_pair("client_id", &settings.client_id);
        }
    }

    let request = request.body(Full::new(Bytes::from(form.finish())));
    request.map_err(|_| IssuerError::Unavailable("has an invalid token_endpoint"))
}

/// Returns the header of RFC 6749, section 2.3.1: both parts are encoded before they are joined.
fn basic(id: &str, secret: &str) -> Result<HeaderValue, Failure> {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let joined = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)));
    let mut value = HeaderValue::try_from(format!("Basic {joined}")).map_err(Failure::internal)?;
    value.set_sensitive(true);
    Ok(value)
}
