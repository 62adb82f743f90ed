//! The platform check: on request, and daily for each live profile.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use domain::chat::Check;
use domain::chat::fields::subscribed_fields;
use domain::chat::health::CHECK_PERIOD;
use domain::port::Clock as _;
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::{Line, connect, notification};
use tests::request::{altered, text};
use tests::settings::PROFILE_SECRETS;
use tests::standin::{ACCOUNT_STATE, APP_ID, Misbehave, error};
use tests::{Call, Service as _, World};

const CHECK: &str = "/v1/organization/chat/platform-check";
const PROFILES: &str = "/v1/organization/chat/business-profiles";
const NUMBER_FIELDS: &str = "id,status,platform_type,code_verification_status,quality_rating,name_status,\
    whatsapp_business_manager_messaging_limit";
const DAY: i64 = 86_400;
const SECOND: Duration = Duration::from_secs(1);
/// Longer than the check of the app is kept, and far enough apart for the quota.
const APART: Duration = Duration::from_secs(200);

async fn check(world: &World, key: &str, query: &str) -> Vec<Value> {
    world.clock.advance(APART);
    checked(world, key, query).await
}

async fn checked(world: &World, key: &str, query: &str) -> Vec<Value> {
    let checked = world.send(Call::get(format!("{CHECK}{query}")).key(key)).await.expect(200);
    checked["data"].as_array().unwrap().clone()
}

async fn check_line(world: &World, line: &Line) -> Vec<Value> {
    check(world, &line.org.admin, &format!("?profileId={}", line.profile)).await
}

/// The findings that are not OK.
fn problems(findings: &[Value]) -> Vec<Value> {
    for finding in findings {
        assert_eq!(finding["status"] == "OK", finding.get("remedy").is_none(), "{finding}");
    }
    findings.iter().filter(|finding| finding["status"] != "OK").cloned().collect()
}

fn names(findings: &[Value]) -> Vec<(String, Option<String>)> {
    let name = |finding: &Value| (text(finding, "check"), finding["subject"].as_str().map(str::to_owned));
    findings.iter().map(name).collect()
}

#[tokio::test]
async fn every_check_is_made_with_the_documented_requests() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5101").await;
    world.platform.state().seen.clear();
    let findings = check_line(&world, &line).await;
    assert!(problems(&findings).is_empty(), "{findings:#?}");
    let of_installation = ["app_credentials", "callback_url", "callback_fields"].map(|name| (name.to_owned(), None));
    let of_profile = [
        "connection",
        "token",
        "token_permissions",
        "token_expiry",
        "subscription",
        "account_review",
        "account_payment",
        "account_health",
    ];
    let of_profile = of_profile.map(|name| (name.to_owned(), Some(line.profile.clone())));
    let of_number = ["number_registration", "number_quality", "number_limit", "number_name"];
    let of_number = of_number.map(|name| (name.to_owned(), Some(line.number.clone())));
    let expected: Vec<_> = of_installation.into_iter().chain(of_profile).chain(of_number).collect();
    assert_eq!(names(&findings), expected);
    // All checks but the one that says that another could not be made.
    assert_eq!(expected.len(), Check::ALL.len() - 1);
    let seen = world.platform.state().seen.clone();
    let sent: BTreeSet<(String, String, BTreeMap<String, String>)> = seen
        .iter()
        .map(|seen| {
            let mut query = seen.query.clone();
            assert_eq!(query.remove("appsecret_proof").map(|proof| proof.len()), Some(64));
            (seen.method.clone(), seen.path.clone(), query)
        })
        .collect();
    let request = |path: &str, query: &[(&str, &str)]| {
        let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ("GET".to_owned(), path.to_owned(), query)
    };
    let expected = BTreeSet::from([
        request(&format!("/{APP_ID}/subscriptions"), &[]),
        request("/debug_token", &[("input_token", "token-5101")]),
        request("/5101", &[("fields", ACCOUNT_STATE)]),
        request("/5101/subscribed_apps", &[("limit", "100")]),
        request("/5101/phone_numbers", &[("fields", NUMBER_FIELDS), ("limit", "100")]),
    ]);
    assert_eq!((sent, seen.len()), (expected, 5));
    let app_token = format!("Bearer {APP_ID}|");
    for seen in &seen {
        let is_of_app = seen.path.contains("subscriptions") || seen.path.contains("debug_token");
        assert_eq!(seen.headers["authorization"].starts_with(&app_token), is_of_app, "{}", seen.path);
    }
}

/// A fault of the stand-in, and what the check says of it.
struct Fault {
    /// Whose fields differ: the token's, the account's, the number's or the app's.
    whose: Whose,
    fields: Value,
    check: &'static str,
    status: &'static str,
    message: &'static str,
    remedy: &'static str,
}

#[derive(Clone, Copy)]
enum Whose {
    Token,
    Account,
    Number,
    App,
}

fn health(entity: &Value) -> Value {
    json!({"health_status": {"can_send_message": "BLOCKED", "entities": [entity]}})
}

fn faults(now: i64) -> Vec<Fault> {
    use Whose::{Account, App, Number, Token};
    let fault = |whose, fields, check, status, message, remedy| Fault { whose, fields, check, status, message, remedy };
    let without = |missing: &str| {
        let fields = subscribed_fields().filter(|field| *field != missing).map(|name| json!({"name": name}));
        json!({"fields": fields.collect::<Vec<_>>()})
    };
    let management = json!({"scope": "whatsapp_business_management", "target_ids": ["5102"]});
    let messaging = |account: &str| json!({"scope": "whatsapp_business_messaging", "target_ids": [account]});
    let solution = "Ask for a review";
    let blocked = |code: i64, kind: &str| {
        let error = json!({"error_code": code, "error_description": "It is so", "possible_solution": solution});
        health(&json!({"entity_type": kind, "id": "102", "can_send_message": "BLOCKED", "errors": [error]}))
    };
    let limited = health(
        &json!({"entity_type": "BUSINESS", "id": "250", "can_send_message": "LIMITED", "additional_info": ["Verify the business"]}),
    );
    let (warning, failed) = ("WARNING", "FAILED");
    let (signup, meta) = ("business-profiles/callback", "Meta's");
    vec![
        fault(App, json!({"object": null}), "callback_url", failed, "no callback URL", "NotificationsUrl"),
        fault(
            App,
            json!({"callback_url": "https://old.example/v1/platform/notifications?key=secret"}),
            "callback_url",
            failed,
            "https://old.example/v1/platform/notifications,",
            "NotificationsUrl",
        ),
        fault(
            App,
            json!({"callback_url": "https://api.example.com/hook"}),
            "callback_url",
            failed,
            "not this installation",
            "NotificationsUrl",
        ),
        fault(App, json!({"active": false}), "callback_url", failed, "not active", "NotificationsUrl"),
        fault(App, without("messages"), "callback_fields", failed, "to: messages.", "subscribes to these fields"),
        fault(
            App,
            without("account_update"),
            "callback_fields",
            warning,
            "to: account_update.",
            "subscribes to these fields",
        ),
        fault(Token, json!({"is_valid": false, "error": {"code": 190}}), "token", failed, "no longer valid", signup),
        fault(Token, json!({"app_id": "67"}), "token", failed, "another app", signup),
        fault(Token, json!({"expires_at": now - 1}), "token", failed, "no longer valid", signup),
        fault(Token, json!({"expires_at": now + 7 * DAY}), "token_expiry", warning, "in 6 days", signup),
        fault(
            Token,
            json!({"data_access_expires_at": now + 3600}),
            "token_expiry",
            warning,
            "in less than a day",
            signup,
        ),
        fault(
            Token,
            json!({"scopes": [], "granular_scopes": [management.clone()]}),
            "token_permissions",
            failed,
            "lacks: whatsapp_business_messaging.",
            signup,
        ),
        fault(
            Token,
            json!({"scopes": [], "granular_scopes": [messaging("5102")]}),
            "token_permissions",
            failed,
            "lacks: whatsapp_business_management.",
            signup,
        ),
        fault(
            Token,
            json!({"granular_scopes": [management, messaging("7")]}),
            "token_permissions",
            failed,
            "lacks: whatsapp_business_messaging.",
            signup,
        ),
        fault(
            Token,
            json!({"scopes": [], "granular_scopes": []}),
            "token_permissions",
            warning,
            "does not say",
            "Nothing to do",
        ),
        fault(
            Account,
            json!({"account_review_status": "REJECTED"}),
            "account_review",
            failed,
            "has rejected",
            "another review",
        ),
        fault(
            Account,
            json!({"account_review_status": "PENDING"}),
            "account_review",
            warning,
            "has not decided",
            "Wait",
        ),
        fault(
            Account,
            json!({"account_review_status": "LIMIT_REACHED"}),
            "account_review",
            warning,
            "LIMIT_REACHED",
            meta,
        ),
        fault(
            Account,
            blocked(141_006, "WABA"),
            "account_payment",
            failed,
            "cannot pay for messages: It is so (code 141006).",
            "payment method",
        ),
        fault(
            Account,
            blocked(141_014, "WABA"),
            "account_health",
            failed,
            "WABA 102 cannot send messages: It is so (code 141014).",
            solution,
        ),
        fault(Account, blocked(141_000, "APP"), "account_health", failed, "APP 102", solution),
        fault(
            Account,
            limited,
            "account_health",
            warning,
            "BUSINESS 250 can send messages with limits only: Verify the business.",
            meta,
        ),
        fault(
            Number,
            json!({"status": "DISCONNECTED"}),
            "number_registration",
            failed,
            "not registered",
            "POST /v1/organization/chat/phone-numbers",
        ),
        fault(
            Number,
            json!({"status": "PENDING", "code_verification_status": "NOT_VERIFIED"}),
            "number_registration",
            failed,
            "not verified",
            "Verify the number",
        ),
        fault(Number, json!({"platform_type": "ON_PREMISE"}), "number_registration", failed, "ON_PREMISE", "Register"),
        fault(Number, json!({"status": "FLAGGED"}), "number_registration", warning, "flagged", "Send less"),
        fault(
            Number,
            json!({"status": "RATE_LIMITED"}),
            "number_registration",
            warning,
            "limit of conversations",
            "Wait",
        ),
        fault(Number, json!({"status": "RESTRICTED"}), "number_registration", failed, "restricts", "appeal"),
        fault(Number, json!({"status": "BANNED"}), "number_registration", failed, "banned", "Appeal"),
        fault(
            Number,
            json!({"status": "MIGRATED"}),
            "number_registration",
            failed,
            "any more (MIGRATED)",
            "another number",
        ),
        fault(Number, json!({"status": "LATER"}), "number_registration", warning, "LATER", meta),
        fault(Number, json!({"status": null}), "number_registration", warning, "does not show", meta),
        fault(
            Number,
            json!({"id": "9"}),
            "number_registration",
            failed,
            "does not have the number any more",
            "connect the account",
        ),
        fault(Number, json!({"quality_rating": "YELLOW"}), "number_quality", warning, "YELLOW", "Send less"),
        fault(Number, json!({"quality_rating": "RED"}), "number_quality", failed, "RED", "Send less"),
        fault(
            Number,
            json!({"whatsapp_business_manager_messaging_limit": "TIER_250"}),
            "number_limit",
            warning,
            "TIER_250",
            "Verify the business",
        ),
        fault(Number, json!({"name_status": "DECLINED"}), "number_name", failed, "DECLINED", "another display name"),
        fault(Number, json!({"name_status": "PENDING_REVIEW"}), "number_name", warning, "has not decided", "Wait"),
        fault(Number, json!({"name_status": "LATER"}), "number_name", warning, "LATER", meta),
    ]
}

#[tokio::test]
async fn every_fault_is_named_with_its_remedy() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5102").await;
    for fault in faults(world.now().seconds()) {
        let (id, subject) = match fault.whose {
            Whose::Token => ("token-5102", Some(&line.profile)),
            Whose::Account => ("5102", Some(&line.profile)),
            Whose::Number => (line.platform_number.as_str(), Some(&line.number)),
            Whose::App => (APP_ID, None),
        };
        world.platform.say(id, fault.fields.clone());
        let found = problems(&check_line(&world, &line).await);
        world.platform.state().said.clear();
        let [problem] = &found[..] else { panic!("{}: {found:#?}", fault.fields) };
        assert_eq!((problem["check"].as_str(), problem["status"].as_str()), (Some(fault.check), Some(fault.status)));
        assert_eq!(problem["subject"].as_str(), subject.map(String::as_str), "{problem}");
        assert!(text(problem, "message").contains(fault.message), "{problem}");
        assert!(text(problem, "remedy").contains(fault.remedy), "{problem}");
        assert!(!problem.to_string().contains("secret"), "{problem}");
    }
    assert!(problems(&check_line(&world, &line).await).is_empty());
    let wanted = |fields: Value| {
        world.platform.say("token-5102", fields);
        check_line(&world, &line)
    };
    // Not even a second too early.
    let ends = world.now().plus(APART).seconds() + 7 * DAY + 1;
    assert!(problems(&wanted(json!({"expires_at": ends})).await).is_empty());
    // What the platform has not rated, or does not say, is no problem.
    world.platform.state().said.clear();
    let unsaid =
        json!({"quality_rating": "UNKNOWN", "whatsapp_business_manager_messaging_limit": null, "name_status": "NONE"});
    world.platform.say(&line.platform_number, unsaid);
    world.platform.say("5102", json!({"account_review_status": null}));
    assert!(problems(&check_line(&world, &line).await).is_empty());
}

/// An entity can have several errors, and only some of them are about payment.
#[tokio::test]
async fn payment_and_health_are_told_apart() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5103").await;
    let error = |code: i64, solution: &str| json!({"error_code": code, "error_description": "So", "possible_solution": solution});
    let both = json!([error(141_006, "Pay"), error(141_010, "Verify")]);
    world.platform.say(
        "5103",
        health(&json!({"entity_type": "WABA", "id": "5103", "can_send_message": "LIMITED", "errors": both})),
    );
    let found = problems(&check_line(&world, &line).await);
    let shown = |finding: &Value| [text(finding, "check"), text(finding, "status"), text(finding, "message")];
    let expected = [
        ["account_payment", "WARNING", "The account cannot pay for messages: So (code 141006)."],
        ["account_health", "WARNING", "WABA 5103 can send messages with limits only: So (code 141010)."],
    ];
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected);
    assert_eq!(found[1]["remedy"], "Verify.");
}

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
        assert!(found.iter().all(|finding| finding["check"] == "subscription" && finding["status"] == "FAILED"));
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
        ("/phone_numbers", 100, "number_registration", "FAILED", "business manager"),
        ("/phone_numbers", 1, reachability, "WARNING", "again"),
    ] {
        let body = error(code, "token-5105 is at fault").to_string();
        world.platform.misbehave(path, Misbehave::Status(400, body), 2);
        let found = problems(&check_line(&world, &line).await);
        world.platform.state().misbehave.clear();
        let [problem] = &found[..] else { panic!("{path} {code}: {found:#?}") };
        assert_eq!((problem["check"].as_str(), problem["status"].as_str()), (Some(check), Some(status)), "{problem}");
        assert!(text(problem, "remedy").contains(remedy), "{problem}");
        // The platform's text is passed on without the token.
        assert_eq!(text(problem, "message").contains("token-5105"), path == app, "{problem}");
    }
    // The account is gone.
    let account = world.platform.state().accounts.remove("5105").unwrap();
    let found = problems(&check_line(&world, &line).await);
    let checks: Vec<&str> = found.iter().filter_map(|finding| finding["check"].as_str()).collect();
    assert_eq!(checks, ["account_health", "number_registration"]);
    world.platform.state().accounts.insert("5105".to_owned(), account);
    // Nothing was read after the connection was closed, twice.
    world.platform.misbehave("/debug_token", Misbehave::HangUp, u32::MAX);
    let found = problems(&check_line(&world, &line).await);
    let expected = "The access token could not be checked: the platform closed the connection.";
    assert_eq!((found.len(), found[0]["message"].as_str()), (1, Some(expected)));
}

#[tokio::test]
async fn missing_tokens_and_disconnected_accounts_are_named() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5106").await;
    let secret = format!("{PROFILE_SECRETS}{}", line.profile);
    let put =
        |text: &'static str| world.account.secrets.put_secret_value().secret_id(&secret).secret_string(text).send();
    put("no JSON").await.unwrap();
    let found = problems(&check_line(&world, &line).await);
    assert_eq!((found.len(), found[0]["check"].as_str()), (1, Some("reachability")), "{found:?}");
    world.account.secrets.delete_secret().secret_id(&secret).send().await.unwrap();
    world.platform.state().seen.clear();
    let found = problems(&check_line(&world, &line).await);
    let [missing] = &found[..] else { panic!("{found:?}") };
    assert_eq!((missing["check"].as_str(), missing["status"].as_str()), (Some("token"), Some("FAILED")));
    assert_eq!((missing["subject"].as_str(), world.platform.state().seen.len()), (Some(line.profile.as_str()), 1));
    let removed = notification("5106", 2_100_000_000, "account_update", &json!({"event": "PARTNER_REMOVED"}));
    world.notify(&removed).await.expect(200);
    let found = problems(&check_line(&world, &line).await);
    let [gone] = &found[..] else { panic!("{found:?}") };
    assert_eq!((gone["check"].as_str(), gone["status"].as_str()), (Some("connection"), Some("FAILED")));
    assert!(text(gone, "message").contains("2036-07-18") && text(gone, "remedy").contains("Connect"), "{gone}");
}

/// As many profiles as an organization may have, at a platform that is slow, and at one that is much too slow.
#[tokio::test]
async fn fifty_profiles_are_checked_in_time_or_named() {
    const ALL: usize = 50;
    const BUDGET: Duration = Duration::from_secs(25);
    let world = World::new().await;
    let mut profiles = BTreeSet::new();
    for n in 0..ALL {
        if n % 20 == 0 {
            world.clock.advance(Duration::from_secs(3600));
        }
        let account = format!("{}", 520_000 + n);
        world.platform.account(&account, &[(&format!("{account}1"), &format!("15550{account}"))]);
        let signup = Call::post(SIGNUP).json(&json!({"code": format!("code.{account}")}));
        profiles.insert(text(&world.admin(signup).await.expect(201), "id"));
    }
    world.platform.misbehave("", Misbehave::Slow(Duration::from_millis(700)), u32::MAX);
    let started = Instant::now();
    let findings = check(&world, &world.org.admin, "").await;
    assert!(started.elapsed() < BUDGET, "{:?}", started.elapsed());
    assert!(problems(&findings).is_empty(), "{:?}", problems(&findings));
    let checked = |findings: &[Value]| {
        let is_checked = |finding: &&Value| finding["check"] == "account_health";
        let ids = findings.iter().filter(is_checked).map(|finding| text(finding, "subject"));
        ids.filter(|id| profiles.contains(id)).collect::<BTreeSet<_>>()
    };
    assert_eq!(checked(&findings), profiles);
    world.platform.state().misbehave.clear();
    world.platform.misbehave("", Misbehave::Slow(Duration::from_secs(6)), u32::MAX);
    let started = Instant::now();
    let findings = check(&world, &world.org.admin, "").await;
    let took = started.elapsed();
    assert!((BUDGET..BUDGET + 3 * SECOND).contains(&took), "{took:?}");
    let late: BTreeSet<String> = problems(&findings)
        .iter()
        .map(|finding| {
            assert_eq!(
                (finding["check"].as_str(), finding["status"].as_str()),
                (Some("reachability"), Some("WARNING"))
            );
            assert!(text(finding, "message").contains("25 seconds"), "{finding}");
            text(finding, "subject")
        })
        // The profile of the playground comes last.
        .filter(|subject| !subject.starts_with("wabp_playground"))
        .collect();
    let reached = checked(&findings);
    assert!(reached.len() >= 8 && late.is_disjoint(&reached), "{}", reached.len());
    assert_eq!(late.union(&reached).cloned().collect::<BTreeSet<_>>(), profiles);
}

/// The check of the installation's app is the same for all organizations. It is made once per minute, also for requests at
/// the same time.
#[tokio::test]
async fn the_app_is_checked_once_per_minute() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let line = connect(&world, &world.org, "5110").await;
    world.platform.state().seen.clear();
    let asked = || world.platform.seen("/subscriptions").len();
    let of_app = |findings: &[Value]| findings.iter().take(3).cloned().collect::<Vec<_>>();
    let (first, second, third) = futures_util::future::join3(
        checked(&world, &world.org.admin, ""),
        checked(&world, &stranger.admin, ""),
        checked(&world, &world.org.admin, &format!("?profileId={}", line.profile)),
    )
    .await;
    assert_eq!((asked(), of_app(&first)), (1, of_app(&second)));
    assert_eq!(of_app(&first), of_app(&third));
    assert!(problems(&first).is_empty());
    // A repaired app is seen a minute later.
    world.clock.advance(61 * SECOND);
    world.platform.misbehave("/subscriptions", Misbehave::Status(400, error(190, "bad").to_string()), 1);
    assert_eq!(problems(&checked(&world, &world.org.admin, "").await)[0]["check"], "app_credentials");
    world.clock.advance(59 * SECOND);
    assert_eq!(problems(&checked(&world, &stranger.admin, "").await)[0]["check"], "app_credentials");
    assert_eq!(asked(), 2);
    world.clock.advance(2 * SECOND);
    assert!(problems(&checked(&world, &world.org.admin, "").await).is_empty());
    assert_eq!(asked(), 3);
    // Profiles are asked about each time.
    assert_eq!(world.platform.seen("/debug_token").len(), 4);
}

#[tokio::test]
async fn an_organization_sees_its_own_profiles_only() {
    let world = World::new().await;
    let stranger = world.organization("Stranger").await;
    let (own, other) = (connect(&world, &world.org, "5107").await, connect(&world, &stranger, "5108").await);
    world.platform.say("5108", json!({"account_review_status": "REJECTED"}));
    let mine = serde_json::to_string(&check(&world, &world.org.admin, "").await).unwrap();
    assert!(mine.contains(&own.profile) && mine.contains(&own.number));
    assert!(!mine.contains(&other.profile) && !mine.contains(&other.number) && !mine.contains("REJECTED"));
    for (key, profile) in [
        (&world.org.admin, other.profile.clone()),
        (&world.org.admin, altered(&own.profile)),
        (&world.org.test_admin, own.profile.clone()),
    ] {
        let call = Call::get(format!("{CHECK}?profileId={profile}")).key(key);
        world.send(call).await.refused(404, Some("profileId"), None);
    }
    world.platform.state().seen.clear();
    let simulated = check(&world, &world.org.test_admin, "").await;
    assert!(
        problems(&simulated).is_empty() && !simulated.iter().any(|finding| finding["subject"] == own.profile.as_str())
    );
    assert!(world.platform.state().seen.is_empty(), "a test key asks the simulated platform only");
    for (query, param) in [
        ("?profileId=wabp", "profileId"),
        ("?profileId=", "profileId"),
        ("?profile=1", "profile"),
        ("?limit=5", "limit"),
        ("?cursor=a", "cursor"),
        (&format!("?profileId={0}&profileId={0}", own.profile), "profileId"),
    ] {
        world.admin(Call::get(format!("{CHECK}{query}"))).await.refused(400, Some(param), None);
    }
}

/// Lets a scenario of test mode happen to the test app's number or account.
async fn happen(world: &World, scenario: &str) {
    let body = json!({"scenario": scenario});
    let call = Call::post("/v1/playground/simulations").key(&world.org.test_app_key).json(&body);
    let begun = world.send(call).await.expect(201);
    let id = text(&begun, "id").parse().unwrap();
    for _ in begun["steps"].as_array().unwrap() {
        world.clock.advance(SECOND);
        Box::pin(world.worker.inbox.simulate(&world.org.id.parse().unwrap(), &id)).await.unwrap();
    }
}

#[tokio::test]
async fn simulated_accounts_show_what_scenarios_did_to_them() {
    let world = World::new().await;
    let found = async || {
        let all = check(&world, &world.org.test_admin, "").await;
        let shown = |finding: &Value| [text(finding, "check"), text(finding, "status")].join(" ");
        (all.len(), problems(&all).iter().map(shown).collect::<Vec<_>>())
    };
    let (all, none) = found().await;
    assert_eq!((all, none.len()), (Check::ALL.len() - 1, 0));
    happen(&world, "account_restricted").await;
    assert_eq!(found().await.1, ["account_health FAILED"]);
    world.clock.advance(CHECK_PERIOD);
    assert!(found().await.1.is_empty(), "the restriction has ended");
    happen(&world, "number_quality_changed").await;
    assert_eq!(found().await.1, ["number_quality FAILED"]);
    happen(&world, "number_quality_changed").await;
    happen(&world, "account_rejected").await;
    assert_eq!(found().await.1, ["account_review FAILED"]);
    happen(&world, "account_reviewed").await;
    happen(&world, "account_disconnected").await;
    assert_eq!(found().await.1, ["connection FAILED"]);
    happen(&world, "account_reconnected").await;
    assert!(found().await.1.is_empty());
}

/// The time at which the profile's next check is due.
async fn due_at(world: &World, profile: &str) -> Option<i64> {
    let items = world.account.items().await;
    let item = items.iter().find(|item| item.get("id").is_some_and(|id| id == profile)).unwrap();
    assert_eq!(item.contains_key("dueAt"), item.contains_key("duePartition"));
    item.get("dueAt").map(|at| at.parse().unwrap())
}

/// Lets the time come at which the profile is due, sweeps, and lets the worker make the check.
async fn next_day(world: &World, profile: &str) {
    let at = due_at(world, profile).await.unwrap();
    let wait = u64::try_from(at - world.now().millis()).unwrap();
    world.clock.advance(Duration::from_millis(wait.saturating_sub(1)));
    world.sweep().await;
    world.work_off().await;
    assert_eq!(due_at(world, profile).await, Some(at), "not before its time");
    world.clock.advance(Duration::from_millis(1));
    world.sweep().await;
    world.work_off().await;
    assert_eq!(due_at(world, profile).await, Some(at + DAY * 1000));
}

async fn profile(world: &World, line: &Line) -> Value {
    let one = world.admin(Call::get(format!("{PROFILES}/{}", line.profile))).await.expect(200);
    let list = world.admin(Call::get(PROFILES)).await.expect(200);
    assert!(list["data"].as_array().unwrap().contains(&one), "the list shows the same");
    one
}

fn counted(world: &World) -> BTreeMap<String, u64> {
    let names = ["AppProblems", "TokenProblems", "AccountProblems", "NumberProblems", "UncheckedProfiles"];
    let lines = world.metrics.json();
    world.metrics.clear();
    let value = |name: &str| lines.iter().filter_map(|line| line[name].as_u64()).sum();
    names.into_iter().map(|name| (name.to_owned(), value(name))).filter(|(_, count)| *count > 0).collect()
}

#[tokio::test]
async fn live_profiles_are_checked_every_day() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5109").await;
    assert!(profile(&world, &line).await.get("health").is_none());
    next_day(&world, &line.profile).await;
    let now = serde_json::to_value(world.clock.now()).unwrap();
    assert_eq!(profile(&world, &line).await["health"], json!({"status": "OK", "checkedAt": now, "problems": []}));
    assert_eq!(counted(&world), BTreeMap::new());
    // Every kind of problem is stored and counted.
    let ends = world.now().seconds() + 3 * DAY;
    world.platform.say("token-5109", json!({"expires_at": ends}));
    world.platform.say(APP_ID, json!({"fields": []}));
    world.platform.say("5109", json!({"account_review_status": "REJECTED"}));
    world.platform.say(&line.platform_number, json!({"quality_rating": "RED", "name_status": "PENDING_REVIEW"}));
    next_day(&world, &line.profile).await;
    let health = profile(&world, &line).await["health"].clone();
    let found: Vec<(&str, &str)> = health["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| (problem["check"].as_str().unwrap(), problem["status"].as_str().unwrap()))
        .collect();
    let expected = [
        ("callback_fields", "FAILED"),
        ("account_review", "FAILED"),
        ("number_quality", "FAILED"),
        ("token_expiry", "WARNING"),
        ("number_name", "WARNING"),
    ];
    assert_eq!((health["status"].as_str(), found.as_slice()), (Some("FAILED"), expected.as_slice()));
    let expected = [("AppProblems", 1), ("TokenProblems", 1), ("AccountProblems", 1), ("NumberProblems", 1)];
    assert_eq!(counted(&world), expected.into_iter().map(|(name, count)| (name.to_owned(), count)).collect());
    // The platform does not respond: the check could not be made, and is made again on the next day.
    world.platform.state().said.clear();
    world.platform.misbehave("/debug_token", Misbehave::HangUp, u32::MAX);
    next_day(&world, &line.profile).await;
    let health = profile(&world, &line).await["health"].clone();
    assert_eq!(
        (health["status"].as_str(), health["problems"][0]["check"].as_str()),
        (Some("WARNING"), Some("reachability"))
    );
    assert_eq!(counted(&world), BTreeMap::from([("UncheckedProfiles".to_owned(), 1)]));
    world.platform.state().misbehave.clear();
    next_day(&world, &line.profile).await;
    assert_eq!(profile(&world, &line).await["health"]["status"], "OK");
    assert!(world.dead_letters().await.is_empty());
}

#[tokio::test]
async fn a_disconnected_profile_is_not_checked_until_it_is_connected_again() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5110").await;
    let at = due_at(&world, &line.profile).await.unwrap();
    let tell = async |event: &str, time: i64| {
        let told = notification("5110", 2_100_000_000 + time, "account_update", &json!({"event": event}));
        world.notify(&told).await.expect(200)
    };
    // The job is already in the queue when the account is disconnected.
    let wait = u64::try_from(at - world.now().millis()).unwrap();
    world.clock.advance(Duration::from_millis(wait));
    world.sweep().await;
    tell("PARTNER_REMOVED", 0).await;
    world.platform.state().seen.clear();
    world.work_off().await;
    assert_eq!((due_at(&world, &line.profile).await, world.platform.state().seen.len()), (None, 0));
    assert!(profile(&world, &line).await.get("health").is_none());
    tell("ACCOUNT_RECONNECTED", 10).await;
    assert!(due_at(&world, &line.profile).await.is_some_and(|at| at > world.now().millis()));
    next_day(&world, &line.profile).await;
    assert_eq!(profile(&world, &line).await["health"]["status"], "OK");
    assert!(world.dead_letters().await.is_empty());
}

/// Profiles that were connected before there was a check join it with the next change.
#[tokio::test]
async fn profiles_of_an_earlier_release_join_the_checks() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5111").await;
    let items = world.account.stored_items().await;
    let is_profile = |id: &aws_sdk_dynamodb::types::AttributeValue| id.as_s().is_ok_and(|id| *id == line.profile);
    let mut item = items.into_iter().find(|item| item.get("id").is_some_and(is_profile)).unwrap();
    item.remove("dueAt");
    item.remove("duePartition");
    world.account.store_item(item).await;
    assert_eq!(due_at(&world, &line.profile).await, None);
    world
        .notify(&notification("5111", 2_100_000_000, "account_review_update", &json!({"decision": "APPROVED"})))
        .await
        .expect(200);
    assert!(due_at(&world, &line.profile).await.is_some());
    next_day(&world, &line.profile).await;
    assert_eq!(profile(&world, &line).await["health"]["status"], "OK");
}
