//! Where a request comes from, and what it asks for.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use domain::audit::{Actor, Trail};
use http::HeaderValue;
use http::header::USER_AGENT;
use http::request::Parts;
use lambda_http::request::RequestContext;

use crate::answer::Rejection;
use crate::routes::Performed;

/// Where a request comes from, and what it asks for.
#[derive(Clone, Debug)]
pub struct Origin {
    pub(super) performed: Performed,
    /// The address that the gateway has seen.
    pub(super) address: Option<IpAddr>,
    user_agent: Option<HeaderValue>,
}

impl Origin {
    pub(super) fn of(parts: &Parts) -> Self {
        Origin {
            performed: parts.extensions.get().copied().unwrap_or_default(),
            address: source_address(parts),
            user_agent: parts.headers.get(USER_AGENT).cloned(),
        }
    }

    /// Returns who makes the request, for the audit log.
    pub fn trail(&self, actor: Actor) -> Trail {
        Trail {
            actor,
            action: self.performed.action,
            source_ip: self.address,
            user_agent: self.user_agent.as_ref().map(|agent| String::from_utf8_lossy(agent.as_bytes()).into_owned()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Origin {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        Ok(Origin::of(parts))
    }
}

/// Returns the address from which the gateway received the request.
fn source_address(parts: &Parts) -> Option<IpAddr> {
    match parts.extensions.get() {
        Some(RequestContext::ApiGatewayV2(gateway)) => gateway.http.source_ip.as_ref()?.parse().ok(),
        _ => None,
    }
}
