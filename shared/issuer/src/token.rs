//! The token that says who has signed in (OpenID Connect Core 1.0, section 3.1.3.7).

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::Value;

use crate::discovery::Addresses;
use crate::{IssuerError, Parts};

#[derive(Deserialize)]
pub(crate) struct Claims {
    pub(crate) sub: String,
    pub(crate) nonce: Option<String>,
    pub(crate) email: Option<String>,
    /// Some providers send a string.
    #[serde(default)]
    email_verified: Value,
    #[serde(default)]
    aud: Value,
    azp: Option<String>,
}

impl Claims {
    /// Whether the provider vouches for the address. A provider that never says so can be trusted without it, but not against its
    /// word.
    pub(crate) fn is_email_verified(&self, trusts_email: bool) -> bool {
        match &self.email_verified {
            Value::Null => trusts_email,
            said => *said == Value::Bool(true) || said == "true",
        }
    }

    /// Whether the token was issued to this client, if it is for several audiences or names whom it was issued to.
    fn is_issued_to(&self, client_id: &str) -> bool {
        let has_several = self.aud.as_array().is_some_and(|all| all.len() > 1);
        match &self.azp {
            Some(to) => to == client_id,
            None => !has_several,
        }
    }
}

/// Returns the claims of a token whose signature, issuer, audience and times are right. The key decides about the algorithm, never
/// the token.
pub(crate) async fn verify(parts: &Parts, found: &Addresses, id_token: &str) -> Result<Claims, IssuerError> {
    let header = decode_header(id_token).map_err(|_| IssuerError::Refused("the token is malformed"))?;
    let key = parts.directory.key(&parts.http, found, header.kid.as_deref()).await?;
    let algorithm = algorithm(&key).ok_or(IssuerError::Refused("the key is of no kind that is accepted"))?;
    let key = DecodingKey::from_jwk(&key).map_err(|_| IssuerError::Refused("the key is malformed"))?;

    let mut validation = Validation::new(algorithm);
    validation.set_audience(&[&parts.settings.client_id]);
    validation.set_issuer(&[&parts.settings.issuer]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.validate_nbf = true;
    let claims = decode::<Claims>(id_token, &key, &validation)
        .map_err(|_| IssuerError::Refused("the token is not valid"))?
        .claims;
    if !claims.is_issued_to(&parts.settings.client_id) {
        return Err(IssuerError::Refused("the token was issued to another client"));
    }
    Ok(claims)
}

fn algorithm(key: &Jwk) -> Option<Algorithm> {
    match &key.algorithm {
        AlgorithmParameters::RSA(_) => Some(Algorithm::RS256),
        AlgorithmParameters::EllipticCurve(point) if point.curve == EllipticCurve::P256 => Some(Algorithm::ES256),
        _ => None,
    }
}
