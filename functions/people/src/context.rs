//! The dependencies of this function's operations.

use aws::Connection;
use axum::extract::FromRef;
use issuer::{ClientSecret, Issuer, IssuerSettings};
use runtime::{Context, Environment};

/// The dependencies of this function's operations.
#[derive(Clone)]
pub struct PeopleContext {
    pub context: Context,
    /// The base URL of this API, without a trailing slash.
    pub api_url: String,
    /// The identity provider, if this installation has one.
    pub issuer: Option<Issuer>,
}

/// The path to which the identity provider sends people back.
pub(crate) const CALLBACK: &str = "/v1/sign-in/callback";

impl PeopleContext {
    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let api_url = environment.required("API_URL").trim_end_matches('/').to_owned();
        let issuer = issuer(environment, &connection, &api_url)?;
        Ok(PeopleContext { context: environment.context(&connection), api_url, issuer })
    }
}

/// Returns the identity provider of the installation.
fn issuer(environment: &mut Environment, connection: &Connection, api_url: &str) -> Result<Option<Issuer>, String> {
    let Some(issuer) = Environment::optional("SIGN_IN_ISSUER") else { return Ok(None) };
    let settings = IssuerSettings {
        issuer,
        client_id: environment.required("SIGN_IN_CLIENT_ID"),
        redirect_url: format!("{api_url}{CALLBACK}"),
        trusts_email: Environment::optional("SIGN_IN_TRUSTS_EMAIL").as_deref() == Some("true"),
    };
    let secret = Environment::optional("SIGN_IN_SECRET").map(|name| ClientSecret::new(connection, &name));
    Issuer::new(settings, secret).map(Some)
}

impl FromRef<PeopleContext> for Context {
    fn from_ref(people: &PeopleContext) -> Self {
        people.context.clone()
    }
}
