use api::{Origin, Rejection};
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use domain::Failure;
use http::header::{CACHE_CONTROL, COOKIE, LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use issuer::{Handshake, Issuer, IssuerError};
use url::form_urlencoded;

use super::identity::{Denied, sign_in};
use super::{PAGE, trail_of};
use crate::PeopleContext;
use crate::session::cookie;

/// The cookie of a sign-in that has begun. The provider sends people back from its own site, hence `Lax`.
const HANDSHAKE: &str = "__Host-sign-in";
/// The problem that the page explains if this installation has no identity provider.
const NO_PROVIDER: &str = "no-provider";
const FORGOTTEN: &str = "__Host-sign-in=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0";
/// The longest parameter that a provider sends.
const LONGEST: usize = 4096;

/// Begin to sign in
///
/// Sends the browser to the identity provider of the installation, which sends it back to `/v1/sign-in/callback`. For links of pages,
/// not for programs.
#[utoipa::path(get, path = "/v1/sign-in", operation_id = "signIn.begin", tag = "Signing in", security(()),
    responses((status = 303, description = "To the identity provider, or back to the sign-in page if there is none")))]
pub(crate) async fn begin_sign_in(State(people): State<PeopleContext>) -> Result<Response, Rejection> {
    let Some(issuer) = &people.issuer else { return Ok(back(&people, Some(NO_PROVIDER))?) };
    let handshake = Handshake::begin(people.context.now(), people.context.random());
    let url = match issuer.authorization_url(&handshake).await {
        Ok(url) => url,
        Err(error) => return Ok(back(&people, Some(problem_of(&error)))?),
    };
    let cookie = format!(
        "{HANDSHAKE}={}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={}",
        handshake.cookie().expose(),
        Handshake::lifetime()
    );
    let mut response = redirect(&url)?;
    response.headers_mut().insert(SET_COOKIE, HeaderValue::try_from(cookie).map_err(Failure::internal)?);
    Ok(response)
}

/// Complete a sign-in
///
/// The address to which the identity provider sends people back. Signs in the member whom the provider knows, and sends the browser
/// to the sign-in page, which shows who is signed in, or why nobody is.
#[utoipa::path(get, path = "/v1/sign-in/callback", operation_id = "signIn.complete", tag = "Signing in", security(()),
    params(("code" = Option<String>, Query), ("state" = Option<String>, Query), ("error" = Option<String>, Query)),
    responses((status = 303, description = "To the sign-in page")))]
pub(crate) async fn complete_sign_in(
    State(people): State<PeopleContext>,
    origin: Origin,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Rejection> {
    let Some(issuer) = &people.issuer else { return Ok(back(&people, Some(NO_PROVIDER))?) };
    let returned = Returned::parse(query.as_deref().unwrap_or_default());
    // One cookie per response, because some gateways and proxies join several. After a success, that of the sign-in ends by itself
    // within minutes; the provider takes no code twice.
    let (mut response, cookie) = match outcome(&people, issuer, &headers, &returned, origin).await? {
        Ok(session) => (back(&people, None)?, session),
        Err(problem) => (back(&people, Some(problem))?, HeaderValue::from_static(FORGOTTEN)),
    };
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}

/// Returns the cookie of the session, or the problem to show.
async fn outcome(
    people: &PeopleContext,
    issuer: &Issuer,
    headers: &HeaderMap,
    returned: &Returned,
    origin: Origin,
) -> Result<Result<HeaderValue, &'static str>, Failure> {
    let handshake = cookie_of(headers).and_then(|cookie| Handshake::of_cookie(cookie, people.context.now()));
    let Some(handshake) = handshake.filter(|handshake| handshake.is_state(&returned.state)) else {
        return Ok(Err("expired"));
    };
    // RFC 9207: the provider may say who it is.
    if returned.issuer.as_deref().is_some_and(|name| name != issuer.url()) {
        return Ok(Err("refused"));
    }
    let Some(code) = returned.code.as_deref() else { return Ok(Err("cancelled")) };

    let identity = match issuer.identify(code, &handshake).await {
        Ok(identity) => identity,
        Err(IssuerError::Internal(failure)) => return Err(failure),
        Err(error) => return Ok(Err(problem_of(&error))),
    };
    Ok(match sign_in(people, &identity, &trail_of(origin)).await? {
        Ok(begun) => Ok(cookie::set(&begun.value)?),
        Err(Denied::NoMembership) => Err("no-membership"),
        Err(Denied::NoVerifiedAddress) => Err("no-verified-address"),
        Err(Denied::Suspended) => Err("suspended"),
    })
}

/// What the provider sends with the browser.
#[derive(Default)]
struct Returned {
    code: Option<String>,
    state: String,
    issuer: Option<String>,
}

impl Returned {
    fn parse(query: &str) -> Self {
        let mut returned = Returned::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| value.len() <= LONGEST) {
            match &*name {
                "code" => returned.code = Some(value.into_owned()),
                "state" => returned.state = value.into_owned(),
                "iss" => returned.issuer = Some(value.into_owned()),
                _ => {}
            }
        }
        returned
    }
}

/// Returns the problem that the page explains.
fn problem_of(error: &IssuerError) -> &'static str {
    tracing::warn!(%error, "nobody was signed in");
    match error {
        IssuerError::Refused(_) => "refused",
        IssuerError::Unavailable(_) | IssuerError::Internal(_) => "unavailable",
    }
}

fn cookie_of(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == HANDSHAKE).map(|(_, value)| value)
}

/// Sends the browser to the sign-in page of this installation, and nowhere else. Without a problem, the page leads on to the console.
fn back(people: &PeopleContext, problem: Option<&str>) -> Result<Response, Failure> {
    let outcome = problem.map_or_else(|| "done".to_owned(), |problem| format!("problem={problem}"));
    redirect(&format!("{}{PAGE}#{outcome}", people.api_url))
}

fn redirect(url: &str) -> Result<Response, Failure> {
    let mut response = StatusCode::SEE_OTHER.into_response();
    response.headers_mut().insert(LOCATION, HeaderValue::try_from(url).map_err(Failure::internal)?);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
