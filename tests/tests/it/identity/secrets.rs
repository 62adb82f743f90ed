//! Secrets appear in no log line, list or error, and in the table only where they must.

use serde_json::json;
use tests::catalogue::cases;
use tests::faults::Fault;
use tests::logs::Captured;
use tests::request::text;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn no_secret_is_logged_listed_or_shown_in_an_error() {
    let captured = Captured::start();
    let world = World::new().await;
    let org = &world.org;
    let app = format!("/v1/organization/apps/{}", org.app);
    let hook = json!({"url": "https://example.com", "events": ["messages.sms.sent"], "headers": {"Authorization": "header-value-secret"}});
    let hook = world.admin(Call::post(format!("{app}/webhooks")).json(&hook)).await.expect(201);
    let mut secrets = vec![
        org.admin.clone(),
        org.test_admin.clone(),
        org.session.clone(),
        org.app_key.clone(),
        org.test_app_key.clone(),
        text(&hook, "secret"),
        "header-value-secret".to_owned(),
    ];

    let mut told = String::new();
    for case in cases(&world).await {
        let reply = world.send(case.call.clone().key(case.right_key(org))).await;
        let body: serde_json::Value = reply.json();
        for field in ["key", "secret"] {
            secrets.extend(body[field].as_str().map(str::to_owned));
        }
        if case.method() == http::Method::GET {
            // Whoever has a key of the webhook's app or organization reads the values of its headers.
            let shows_headers = ["/webhooks", "/webhooks/{webhookId}"].iter().any(|end| case.template.ends_with(end));
            let hidden = if shows_headers { "header-value-secret" } else { "nothing is replaced" };
            told.push_str(&reply.text.replace(hidden, ""));
        }
    }
    // Errors of requests with secrets in every possible place.
    for secret in &secrets {
        for body in
            [json!({"name": 1, secret: 1}), json!({"url": secret, "events": [secret], "headers": {"X": secret}})]
        {
            let reply = world.admin(Call::post(format!("{app}/webhooks")).json(&body)).await;
            if body.get(secret).is_none() {
                told.push_str(&reply.text);
            }
        }
        let wrong_types = json!({"url": "https://example.com", "events": ["messages.sms.sent"], "headers": [secret]});
        told.push_str(&world.admin(Call::post(format!("{app}/webhooks")).json(&wrong_types)).await.text);
        told.push_str(&world.send(Call::get(&app).key(&format!("{secret}x"))).await.text);
    }
    // Failures of storage are logged with their cause.
    for fault in [Fault::Throttled, Fault::TimedOut] {
        world.faults.set(fault);
        told.push_str(&world.admin(Call::get("/v1/organization/settings")).await.text);
    }
    world.faults.clear();
    let table = format!("{:?}", world.account.items().await);
    let logged = captured.text() + &captured.everything();
    assert!(logged.contains("request failed"), "the log was captured");
    for secret in &secrets {
        assert!(!told.contains(secret), "told {secret}");
        assert!(!logged.contains(secret), "logged {secret}");
        let may_be_stored = secret.starts_with("whsec_") || secret == "header-value-secret";
        assert!(may_be_stored || !table.contains(secret), "stored {secret}");
    }
}
