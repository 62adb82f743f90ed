//! Signing in with an identity provider.

mod forgeries;
mod switching;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::port::{Clock as _, SystemClock};
use issuer::ClientSecret;
use serde_json::{Value, json};
use tests::catalogue::{MEMBERS, SESSION, member};
use tests::provider::{CLIENT, Provider};
use tests::{Call, Reply, Service as _, World};
use url::Url;

use super::ORIGIN;

const BEGIN: &str = "/v1/sign-in";

/// A sign-in that a browser has begun.
struct Begun {
    cookie: String,
    state: String,
    nonce: String,
    challenge: String,
}

/// A world with an identity provider.
pub(crate) struct Place {
    pub(crate) world: World,
    provider: Provider,
}

impl Place {
    pub(crate) async fn new(trusts_email: bool) -> Place {
        let (mut world, provider) = (World::new().await, Provider::start());
        world.sign_in_with(provider.issuer(trusts_email));
        Place { world, provider }
    }

    async fn begin(&self) -> Begun {
        let reply = self.world.send(Call::get(BEGIN)).await;
        assert_eq!(reply.status, 303, "{reply:?}");
        let cookie = reply.header("set-cookie").unwrap();
        for attribute in ["__Host-sign-in=", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax", "; Max-Age=600"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        let url = Url::parse(reply.header("location").unwrap()).unwrap();
        assert!(url.as_str().starts_with(&format!("{}/authorize?", self.provider.url)));
        let field = |name: &str| url.query_pairs().find(|(own, _)| own == name).unwrap().1.into_owned();
        assert_eq!((field("client_id"), field("code_challenge_method")), (CLIENT.to_owned(), "S256".to_owned()));
        assert_eq!(field("redirect_uri"), format!("{ORIGIN}/v1/sign-in/callback"));
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Begun { cookie, state: field("state"), nonce: field("nonce"), challenge: field("code_challenge") }
    }

    /// Lets the provider answer the next code with a token.
    fn plan(&self, begun: &Begun, id_token: Option<String>) {
        let mut plan = self.provider.plan.lock().unwrap();
        (plan.id_token, plan.challenge) = (id_token, begun.challenge.clone());
    }

    /// The claims of a valid token.
    fn claims(&self, begun: &Begun, subject: &str, email: &str) -> Value {
        let now = SystemClock.now().seconds();
        json!({
            "iss": self.provider.url, "aud": CLIENT, "sub": subject, "nonce": begun.nonce, "exp": now + 300, "iat": now,
            "email": email, "email_verified": true,
        })
    }

    async fn complete(&self, begun: &Begun) -> Reply {
        self.world.send(callback(&begun.cookie, &format!("code=c&state={}", begun.state))).await
    }

    /// Signs a person in, whom the provider knows by a subject. Returns the cookie of the session, or the problem.
    pub(crate) async fn sign_in(&self, subject: &str, email: &str) -> Result<String, String> {
        let begun = self.begin().await;
        self.plan(&begun, Some(self.provider.token(&self.claims(&begun, subject, email))));
        outcome(&self.complete(&begun).await)
    }

    async fn session(&self, cookie: &str) -> Value {
        self.world.send(Call::get(SESSION).header("cookie", cookie)).await.expect(200)
    }
}

fn callback(cookie: &str, query: &str) -> Call {
    Call::get(format!("{BEGIN}/callback?{query}")).header("cookie", cookie)
}

/// Returns the cookie of the session, or the problem that the page shows.
fn outcome(reply: &Reply) -> Result<String, String> {
    assert_eq!(reply.status, 303, "{reply:?}");
    let location = reply.header("location").unwrap();
    let cookie = reply.header("set-cookie").unwrap();
    match location.split_once("#problem=") {
        Some((page, problem)) => {
            assert_eq!(page, format!("{ORIGIN}/sign-in"));
            assert!(cookie.starts_with("__Host-sign-in=;") && cookie.contains("Max-Age=0"), "{cookie}");
            Err(problem.to_owned())
        }
        None => {
            assert_eq!(location, format!("{ORIGIN}/sign-in#done"), "nobody is sent elsewhere");
            assert!(cookie.starts_with("__Host-session=") && cookie.contains("; SameSite=Strict"), "{cookie}");
            Ok(cookie.split(';').next().unwrap().to_owned())
        }
    }
}

#[tokio::test]
async fn an_invited_member_signs_in_and_is_known_by_the_subject() {
    let place = Place::new(false).await;
    let ann = member(&place.world, "ann@example.com", "ADMIN").await;
    let cookie = place.sign_in("1", "Ann@Example.com").await.unwrap();
    let session = place.session(&cookie).await;
    assert_eq!((&session["member"]["id"], &session["member"]["status"]), (&json!(ann), &json!("ACTIVE")));
    assert_eq!(session["memberships"][0]["memberId"], json!(ann));

    // Whatever the provider says about the address from now on.
    let cookie = place.sign_in("1", "other@example.com").await.unwrap();
    assert_eq!(place.session(&cookie).await["member"]["id"], json!(ann));
    // And nobody else becomes this member, with the same address.
    assert_eq!(place.sign_in("2", "ann@example.com").await, Err("no-membership".to_owned()));

    let suspend = Call::patch(format!("{MEMBERS}/{ann}")).json(&json!({"status": "SUSPENDED"}));
    place.world.admin(suspend).await.expect(200);
    assert_eq!(place.world.send(Call::get(SESSION).header("cookie", &cookie)).await.status, 401);
    assert_eq!(place.sign_in("1", "ann@example.com").await, Err("suspended".to_owned()));
    place.world.admin(Call::delete(format!("{MEMBERS}/{ann}"))).await.expect(200);
    assert_eq!(place.sign_in("1", "ann@example.com").await, Err("no-membership".to_owned()));
}

#[tokio::test]
async fn only_an_address_that_the_provider_vouches_for_counts() {
    let place = Place::new(false).await;
    member(&place.world, "ann@example.com", "ADMIN").await;
    let problems = [
        (json!(false), "ann@example.com", "no-verified-address"),
        (json!(null), "ann@example.com", "no-verified-address"),
        (json!("false"), "ann@example.com", "no-verified-address"),
        (json!(true), "eve@example.com", "no-membership"),
        // Letters of another script, and an address in another form.
        (json!(true), "\u{430}nn@example.com", "no-verified-address"),
        (json!(true), "ann+1@example.com", "no-membership"),
        (json!(true), "ann@example.com.evil.example", "no-membership"),
    ];
    for (is_verified, email, problem) in problems {
        let begun = place.begin().await;
        let mut claims = place.claims(&begun, "1", email);
        claims["email_verified"] = is_verified;
        place.plan(&begun, Some(place.provider.token(&claims)));
        assert_eq!(outcome(&place.complete(&begun).await), Err(problem.to_owned()), "{claims}");
    }

    // An installation that trusts its provider, and a provider that sends texts.
    let trusting = Place::new(true).await;
    member(&trusting.world, "ann@example.com", "ADMIN").await;
    let begun = trusting.begin().await;
    let mut claims = trusting.claims(&begun, "1", "ann@example.com");
    claims.as_object_mut().unwrap().remove("email_verified");
    trusting.plan(&begun, Some(trusting.provider.token(&claims)));
    outcome(&trusting.complete(&begun).await).unwrap();
    // Trust is for a provider that says nothing, not against its word.
    member(&trusting.world, "bob@example.com", "ADMIN").await;
    for said in [json!(false), json!("false"), json!(0), json!({})] {
        let begun = trusting.begin().await;
        let mut claims = trusting.claims(&begun, "2", "bob@example.com");
        claims["email_verified"] = said;
        trusting.plan(&begun, Some(trusting.provider.token(&claims)));
        assert_eq!(outcome(&trusting.complete(&begun).await), Err("no-verified-address".to_owned()), "{claims}");
    }
}

#[tokio::test]
async fn a_client_with_a_secret_shows_it_in_a_header() {
    let mut place = Place::new(false).await;
    member(&place.world, "ann@example.com", "ADMIN").await;
    let secrets = &place.world.account.secrets;
    secrets.create_secret().name("SignInSecret").secret_string("a b:c").send().await.unwrap();
    let secret = ClientSecret::new(&place.world.account.connection_of("people"), "SignInSecret");
    let issuer = place.provider.issuer_with_secret(secret);
    place.world.sign_in_with(issuer);
    place.sign_in("1", "ann@example.com").await.unwrap();
    // RFC 6749, section 2.3.1: encoded as a form, then joined.
    let expected = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:a+b%3Ac")));
    assert_eq!(place.provider.authorizations(), [Some(expected)]);
}

#[tokio::test]
async fn without_a_provider_there_are_links_only() {
    let world = World::new().await;
    for path in [BEGIN, "/v1/sign-in/callback?code=c&state=s"] {
        let reply = world.send(Call::get(path)).await;
        assert_eq!(
            reply.header("location"),
            Some(format!("{ORIGIN}/sign-in#problem=no-provider").as_str()),
            "{reply:?}"
        );
    }
}

/// A provider that does not respond, or names another issuer, signs nobody in.
#[tokio::test]
async fn a_provider_that_fails_is_told() {
    let place = Place::new(false).await;
    let mut world = World::new().await;
    let mut elsewhere = place.provider.clone();
    elsewhere.url = format!("{}/", elsewhere.url);
    world.sign_in_with(elsewhere.issuer(false));
    let reply = world.send(Call::get(BEGIN)).await;
    assert!(reply.header("location").unwrap().ends_with("/sign-in#problem=refused"), "{reply:?}");
    elsewhere.url = "http://127.0.0.1:1".to_owned();
    world.sign_in_with(elsewhere.issuer(false));
    let reply = world.send(Call::get(BEGIN)).await;
    assert!(reply.header("location").unwrap().ends_with("/sign-in#problem=unavailable"), "{reply:?}");
}
