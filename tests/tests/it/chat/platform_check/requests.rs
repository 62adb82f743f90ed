//! Which requests a check sends to the platform, and in which time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use domain::Timestamp;
use domain::chat::Check;
use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::chat::connect;
use tests::request::text;
use tests::standin::{ACCOUNT_STATE, APP_ID, Misbehave, Seen, api_version, error};
use tests::{Call, Service as _, World};

use super::{SECOND, check, check_line, checked, problems};
use crate::chat::assert_fields;

const NUMBER_FIELDS: &str = "id,status,platform_type,code_verification_status,quality_rating,name_status,\
    whatsapp_business_manager_messaging_limit";
const OF_INSTALLATION: [&str; 5] =
    ["app_credentials", "callback_url", "callback_fields", "graph_version", "signup_version"];
const OF_PROFILE: [&str; 8] = [
    "connection",
    "token",
    "token_permissions",
    "token_expiry",
    "subscription",
    "account_review",
    "account_payment",
    "account_health",
];
const OF_NUMBER: [&str; 4] = ["number_registration", "number_quality", "number_limit", "number_name"];

/// Method, path and query of a request.
type Request = (String, String, BTreeMap<String, String>);

/// A `GET` request without a body.
fn request(path: &str, query: &[(&str, &str)]) -> Request {
    let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ("GET".to_owned(), path.to_owned(), query)
}

/// A request that the platform received, without its proof.
fn received(seen: &Seen) -> Request {
    let mut query = seen.query.clone();
    assert_eq!(query.remove("appsecret_proof").map(|proof| proof.len()), Some(64));
    (seen.method.clone(), seen.path.clone(), query)
}

#[tokio::test]
async fn every_check_is_made_with_the_documented_requests() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5101").await;
    world.platform.state().seen.clear();

    let findings = check_line(&world, &line).await;
    assert!(problems(&findings).is_empty(), "{findings:#?}");

    let of_installation = OF_INSTALLATION.map(|name| (name.to_owned(), None));
    let of_profile = OF_PROFILE.map(|name| (name.to_owned(), Some(line.profile.clone())));
    let of_number = OF_NUMBER.map(|name| (name.to_owned(), Some(line.number.clone())));
    let expected: Vec<_> = of_installation.into_iter().chain(of_profile).chain(of_number).collect();
    let name = |finding: &Value| (text(finding, "check"), finding["subject"].as_str().map(str::to_owned));
    assert_eq!(findings.iter().map(name).collect::<Vec<_>>(), expected);
    // All checks but the one of coexistence, and the one that says that another could not be made.
    assert_eq!(expected.len(), Check::ALL.len() - 2);

    let seen = world.platform.state().seen.clone();
    let sent: BTreeSet<Request> = seen.iter().map(received).collect();
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

/// The version of the Graph API is that of the template.
#[tokio::test]
async fn the_end_of_a_version_is_a_problem_before_it_comes() {
    let world = World::new().await;
    let end = Timestamp::parse("2028-07-29T00:00:00Z").unwrap();
    let warned = 90 * 24 * 3600 * SECOND;
    let wait = Duration::from_secs(world.now().seconds_until(end)).saturating_sub(warned);
    let of_version = async || {
        let all = checked(&world, &world.org.admin, "").await;
        problems(&all).iter().map(|finding| text(finding, "status")).collect::<Vec<_>>()
    };

    world.clock.advance(wait.saturating_sub(60 * SECOND));
    assert!(of_version().await.is_empty());
    world.clock.advance(61 * SECOND);
    assert_eq!(of_version().await, ["WARNING"]);
    world.clock.advance(warned);
    let all = checked(&world, &world.org.admin, "").await;
    assert_fields(&problems(&all)[0], &json!({"check": "graph_version", "status": "FAILED"}));
    let expected = format!("{} of the Graph API is not available since 2028-07-29.", api_version());
    assert!(text(&problems(&all)[0], "message").ends_with(&expected));
}

/// Connects as many accounts as an organization may have, and returns the ids of their profiles.
async fn fifty_profiles(world: &World) -> BTreeSet<String> {
    let mut profiles = BTreeSet::new();
    for n in 0..50 {
        // Stay within the hourly limit of signups.
        if n % 20 == 0 {
            world.clock.advance(Duration::from_secs(3600));
        }
        let account = format!("{}", 520_000 + n);
        world.platform.account(&account, &[(&format!("{account}1"), &format!("15550{account}"))]);
        let signup = Call::post(SIGNUP).json(&json!({"code": format!("code.{account}")}));
        profiles.insert(text(&world.admin(signup).await.expect(201), "id"));
    }
    profiles
}

/// As many profiles as an organization may have, at a platform that is slow, and at one that is much too slow.
#[tokio::test]
async fn fifty_profiles_are_checked_in_time_or_named() {
    const BUDGET: Duration = Duration::from_secs(25);
    let world = World::new().await;
    let profiles = fifty_profiles(&world).await;
    let reached = |findings: &[Value]| {
        let is_checked = |finding: &&Value| finding["check"] == "account_health";
        let ids = findings.iter().filter(is_checked).map(|finding| text(finding, "subject"));
        ids.filter(|id| profiles.contains(id)).collect::<BTreeSet<_>>()
    };

    world.platform.misbehave("", Misbehave::Slow(Duration::from_millis(700)), u32::MAX);
    let started = Instant::now();
    let findings = check(&world, &world.org.admin, "").await;
    assert!(started.elapsed() < BUDGET, "{:?}", started.elapsed());
    assert!(problems(&findings).is_empty(), "{:?}", problems(&findings));
    assert_eq!(reached(&findings), profiles);

    world.platform.state().misbehave.clear();
    world.platform.misbehave("", Misbehave::Slow(Duration::from_secs(6)), u32::MAX);
    let started = Instant::now();
    let findings = check(&world, &world.org.admin, "").await;
    let took = started.elapsed();
    assert!((BUDGET..BUDGET + 3 * SECOND).contains(&took), "{took:?}");

    let mut late = BTreeSet::new();
    for problem in problems(&findings) {
        assert_fields(&problem, &json!({"check": "reachability", "status": "WARNING"}));
        assert!(text(&problem, "message").contains("25 seconds"), "{problem}");
        late.insert(text(&problem, "subject"));
    }
    // The profile of the playground comes last.
    late.retain(|subject| !subject.starts_with("wabp_playground"));
    let reached = reached(&findings);
    assert!(reached.len() >= 8 && late.is_disjoint(&reached), "{}", reached.len());
    assert_eq!(late.union(&reached).cloned().collect::<BTreeSet<_>>(), profiles);
}
