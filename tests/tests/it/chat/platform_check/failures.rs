//! Calls that fail: subscriptions that lead elsewhere, missing tokens and disconnected accounts.

use serde_json::json;
use tests::World;
use tests::chat::{connect, notification};
use tests::request::text;
use tests::settings::PROFILE_SECRETS;
use tests::standin::{APP_ID, Misbehave, error};

use super::{check_line, only_problem, problems};
use crate::chat::assert_fields;

#[tokio::test]
async fn subscriptions_that_lead_elsewhere_are_found() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5104").await;

    for (subscribed, expected) in [
        (None, Some("does not send its notifications")),
        (Some(Some("https://old.example/hook?t=secret")), Some("to https://old.example/hook instead")),
        (Some(Some("https://api.example.com/v1/platform/notifications")), None),
        (Some(None), None),
    ] {
        let own = subscribed.map(|callback: Option<&str>| ("5104".to_owned(), callback.map(str::to_owned)));
        world.platform.state().subscribed = own.into_iter().collect();
        let found = problems(&check_line(&world, &line).await);

        let messages: Vec<String> = found.iter().map(|finding| text(finding, "message")).collect();
        assert_eq!(messages.len(), usize::from(expected.is_some()), "{messages:?}");
        assert!(messages.iter().zip(expected).all(|(message, part)| message.contains(part)), "{messages:?}");
        for finding in &found {
            assert_fields(finding, &json!({"check": "subscription", "status": "FAILED"}));
        }
    }
}

/// Each call can fail by itself; a call that is rejected is a failed check, any other one could not be made.
#[tokio::test]
async fn calls_that_fail_are_named() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5105").await;
    let app = format!("/{APP_ID}/subscriptions");
    let reachability = "reachability";

    for (path, code, check, status, remedy) in [
        (app.as_str(), 190, "app_credentials", "FAILED", "PlatformAppSecret"),
        (app.as_str(), 2, reachability, "WARNING", "again"),
        ("/debug_token", 190, "token", "WARNING", "app_credentials"),
        ("/debug_token", 4, reachability, "WARNING", "in an hour"),
        ("/subscribed_apps", 200, "subscription", "FAILED", "business-profiles/callback"),
        ("/subscribed_apps", 80_007, reachability, "WARNING", "in an hour"),
        ("/phone_numbers", 100, "number_registration", "FAILED", "Business Manager"),
        ("/phone_numbers", 1, reachability, "WARNING", "again"),
    ] {
        let body = error(code, "token-5105 is at fault").to_string();
        world.platform.misbehave(path, Misbehave::Status(400, body), 2);
        let problem = only_problem(&world, &line).await;
        world.platform.state().misbehave.clear();

        assert_fields(&problem, &json!({"check": check, "status": status}));
        assert!(text(&problem, "remedy").contains(remedy), "{problem}");
        // The platform's text is passed on without the token.
        assert_eq!(text(&problem, "message").contains("token-5105"), path == app, "{problem}");
    }

    // The account is gone.
    let account = world.platform.state().accounts.remove("5105").unwrap();
    let found = problems(&check_line(&world, &line).await);
    let checks: Vec<&str> = found.iter().filter_map(|finding| finding["check"].as_str()).collect();
    assert_eq!(checks, ["account_health", "number_registration"]);

    // Nothing was read after the connection was closed, twice.
    world.platform.state().accounts.insert("5105".to_owned(), account);
    world.platform.misbehave("/debug_token", Misbehave::HangUp, u32::MAX);
    let problem = only_problem(&world, &line).await;
    let expected = "The access token could not be checked: Meta closed the connection.";
    assert_eq!(problem["message"], expected);
}

#[tokio::test]
async fn missing_tokens_and_disconnected_accounts_are_named() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5106").await;
    let secret = format!("{PROFILE_SECRETS}{}", line.profile);

    world.account.secrets.put_secret_value().secret_id(&secret).secret_string("no JSON").send().await.unwrap();
    assert_eq!(only_problem(&world, &line).await["check"], "reachability");

    world.account.secrets.delete_secret().secret_id(&secret).send().await.unwrap();
    world.platform.state().seen.clear();
    let missing = only_problem(&world, &line).await;
    assert_fields(&missing, &json!({"check": "token", "status": "FAILED", "subject": line.profile}));
    assert_eq!(world.platform.state().seen.len(), 1);

    let removed = notification("5106", 2_100_000_000, "account_update", &json!({"event": "PARTNER_REMOVED"}));
    world.notify(&removed).await.expect(200);
    let gone = only_problem(&world, &line).await;
    assert_fields(&gone, &json!({"check": "connection", "status": "FAILED"}));
    assert!(text(&gone, "message").contains("2036-07-18") && text(&gone, "remedy").contains("Connect"), "{gone}");
}
