//! Answers of the provider that are forged, replayed, or meant for another browser.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::port::{Clock as _, SystemClock};
use ring::hmac;
use serde_json::{Value, json};
use tests::catalogue::{MEMBERS, member};
use tests::provider::{CLIENT, encoded, forged};
use tests::{Call, Service as _};

use super::{Place, callback, outcome};

/// Each of these is refused, signs nobody in and binds nobody.
#[tokio::test]
async fn forged_and_replayed_tokens_are_refused() {
    let place = Place::new(false).await;
    let provider = &place.provider;
    member(&place.world, "ann@example.com", "ADMIN").await;
    let with = |claims: &Value, name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        provider.token(&claims)
    };
    let now = SystemClock.now().seconds();
    type Forgery<'a> = Box<dyn Fn(&Value) -> Option<String> + Send + Sync + 'a>;
    let forgeries: Vec<(&str, Forgery<'_>)> = vec![
        ("no token, because the code is not the provider's", Box::new(|_| None)),
        ("another nonce", Box::new(|claims| Some(with(claims, "nonce", json!("other"))))),
        ("no nonce", Box::new(|claims| Some(with(claims, "nonce", Value::Null)))),
        ("another audience", Box::new(|claims| Some(with(claims, "aud", json!("other"))))),
        ("several audiences", Box::new(|claims| Some(with(claims, "aud", json!([CLIENT, "other"]))))),
        ("issued to another", Box::new(|claims| Some(with(claims, "azp", json!("other"))))),
        ("another issuer", Box::new(|claims| Some(with(claims, "iss", json!("https://evil.example"))))),
        ("an expired one", Box::new(|claims| Some(with(claims, "exp", json!(now - 120))))),
        ("one of the future", Box::new(|claims| Some(with(claims, "nbf", json!(now + 600))))),
        ("no subject", Box::new(|claims| Some(with(claims, "sub", Value::Null)))),
        ("a key that the provider does not have", Box::new(|claims| Some(forged(claims)))),
        (
            "an unknown key",
            Box::new(|claims| Some(provider.token_with(&json!({"alg": "ES256", "kid": "other"}), claims))),
        ),
        (
            "another algorithm of the same key",
            Box::new(|claims| Some(provider.token_with(&json!({"alg": "ES384", "kid": "own"}), claims))),
        ),
        (
            "no signature",
            Box::new(|claims| Some(format!("{}.{}.", encoded(&json!({"alg": "none", "kid": "own"})), encoded(claims)))),
        ),
        (
            "the public key as a secret",
            Box::new(|claims| {
                let message = format!("{}.{}", encoded(&json!({"alg": "HS256", "kid": "own"})), encoded(claims));
                let key = hmac::Key::new(hmac::HMAC_SHA256, provider.point());
                let tag = URL_SAFE_NO_PAD.encode(hmac::sign(&key, message.as_bytes()));
                Some(format!("{message}.{tag}"))
            }),
        ),
        (
            "other claims under the same signature",
            Box::new(|claims| {
                let token = provider.token(claims);
                let parts: Vec<&str> = token.split('.').collect();
                let mut other = claims.clone();
                other["sub"] = json!("2");
                Some(format!("{}.{}.{}", parts[0], encoded(&other), parts[2]))
            }),
        ),
    ];
    for (what, forgery) in forgeries {
        let begun = place.begin().await;
        place.plan(&begun, forgery(&place.claims(&begun, "1", "ann@example.com")));
        assert_eq!(outcome(&place.complete(&begun).await), Err("refused".to_owned()), "{what}");
    }
    // The unknown key was looked for once, not with each token.
    assert_eq!(provider.count("/keys"), 1);
    let list = place.world.admin(Call::get(MEMBERS)).await.expect(200);
    assert_eq!(list["data"][0]["status"], "INVITED");
    place.sign_in("1", "ann@example.com").await.unwrap();
}

/// A callback works only in the browser that began, once, within ten minutes, and for the code that this browser got.
#[tokio::test]
async fn a_callback_of_another_browser_is_refused() {
    let place = Place::new(false).await;
    member(&place.world, "ann@example.com", "ADMIN").await;
    let (own, others) = (place.begin().await, place.begin().await);
    place.plan(&own, Some(place.provider.token(&place.claims(&own, "1", "ann@example.com"))));
    let states = format!("code=c&state={}", others.state);
    for (cookie, query) in [
        // Somebody else's callback is put into this browser (login CSRF), with and without a cookie of its own.
        ("", format!("code=c&state={}", own.state)),
        (&own.cookie, states),
        (&own.cookie, "code=c".to_owned()),
        ("__Host-sign-in=1.a", format!("code=c&state={}", own.state)),
    ] {
        let reply = place.world.send(callback(cookie, &query)).await;
        assert_eq!(outcome(&reply), Err("expired".to_owned()), "{query}");
    }
    // Somebody else's code is put into this browser's callback: the provider compares the code verifier.
    let mixed = place.world.send(callback(&others.cookie, &format!("code=c&state={}", others.state))).await;
    assert_eq!(outcome(&mixed), Err("refused".to_owned()));
    let from_elsewhere = format!("code=c&state={}&iss=https%3A%2F%2Fevil.example", own.state);
    let reply = place.world.send(callback(&own.cookie, &from_elsewhere)).await;
    assert_eq!(outcome(&reply), Err("refused".to_owned()));
    let cancelled = place.world.send(callback(&own.cookie, &format!("error=access_denied&state={}", own.state))).await;
    assert_eq!(outcome(&cancelled), Err("cancelled".to_owned()));

    place.world.clock.advance(Duration::from_secs(601));
    assert_eq!(outcome(&place.complete(&own).await), Err("expired".to_owned()));
}
