//! Checks that the template, the functions' environment and the guides agree.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use api::HttpService;
use axum::Router;
use axum::body::Body;
use axum::routing::get;
use domain::events::webhook::{AddressPolicy, webhook_url};
use http::Request;
use http_body_util::BodyExt as _;
use runtime::{Environment, Installation};
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("../../../../infra/template.yaml");
const DEPLOYING: &str = include_str!("../../../../docs/deploying.md");
const CONNECTING: &str = include_str!("../../../../docs/connecting-whatsapp.md");

/// The lines between the one that begins with this text and the next one that is not indented further.
fn block(start: &str) -> &'static str {
    let indent = start.len() - start.trim_start().len();
    let (_, rest) = TEMPLATE.split_once(&format!("\n{start}\n")).unwrap_or_else(|| panic!("no {start}"));
    let is_after = |line: &str| !line.trim().is_empty() && line.len() - line.trim_start().len() <= indent;
    let inside = rest.lines().take_while(|line| !is_after(line)).map(|line| line.len() + 1).sum::<usize>();
    &rest[..inside.min(rest.len())]
}

/// The names that the block defines on its first level.
fn names(block: &str) -> BTreeSet<&str> {
    let lines = block.lines().filter(|line| line.starts_with("  ") && !line[2..].starts_with([' ', '#']));
    lines.filter_map(|line| line.trim().strip_suffix(':')).collect()
}

fn in_back_quotes(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn resources_with_data_outlive_the_stack() {
    let kept = "    DeletionPolicy: RetainExceptOnCreate\n    UpdateReplacePolicy: Retain\n";
    for (kind, count) in [("AWS::DynamoDB::Table", 1), ("AWS::S3::Bucket", 1), ("AWS::SecretsManager::Secret", 2)] {
        let line = format!("    Type: {kind}\n");
        let (all, retained) = (TEMPLATE.matches(&line), TEMPLATE.matches(&format!("{line}{kept}")).count());
        assert_eq!((all.count(), retained), (count, count), "{kind}");
    }
    assert!(block("  Table:").contains("      DeletionProtectionEnabled: true\n"));
}

/// Lifecycle rules delete objects that the sweep missed.
#[test]
fn table_and_bucket_remove_what_the_sweep_has_missed() {
    assert!(block("  Table:").contains("TimeToLiveSpecification: { AttributeName: ttl, Enabled: true }\n"));
    let rules = block("  Bucket:");
    let days = |prefix: &str| -> i64 {
        let (_, rule) =
            rules.split_once(&format!("            Status: Enabled\n            Prefix: {prefix}\n")).unwrap();
        let (_, rest) = rule.split_once("ExpirationInDays: ").unwrap();
        rest.lines().next().unwrap().parse().unwrap()
    };
    assert_eq!(days("incoming/"), 1);
    let longest =
        (1..1000).filter(|days| domain::identity::organization::media_retention_days(*days, "days").is_ok()).max();
    assert!(days("media/") > longest.unwrap(), "nobody loses a file before its end");
}

#[tokio::test]
async fn an_operation_that_hangs_is_answered_before_the_gateway_gives_up() {
    let webhook_addresses = AddressPolicy { own: Vec::new(), allow_local: false };
    let installation = Installation { docs_url: "https://docs.example.com".to_owned(), webhook_addresses };
    let slow = Router::new().route("/slow", get(async || tokio::time::sleep(Duration::from_secs(60)).await));
    let started = tokio::time::Instant::now();
    let request = Request::get("/slow").body(Body::empty()).unwrap();
    let response = HttpService::new(slow, Arc::new(installation)).respond(request).await;
    let took = started.elapsed();
    assert_eq!(response.status(), 500);
    assert!((Duration::from_secs(28)..Duration::from_secs(60)).contains(&took), "{took:?}");
    assert!(response.headers().contains_key("x-request-id"));
    let body: Value = serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!((&body["error"]["type"], body["error"].get("code")), (&json!("api_error"), None));
    // The function must live long enough to send its timeout response, and the gateway times out after 30 s.
    assert!(block("Globals:").contains("    Timeout: 29\n"));
}

#[test]
fn local_webhooks_are_for_who_asks_for_them() {
    assert!(block("  AllowLocalWebhooks:").contains("    Default: \"false\"\n"));
    let variables = block("Globals:");
    assert!(variables.contains("        ALLOW_LOCAL_WEBHOOKS: !Ref AllowLocalWebhooks\n"));
    // A custom domain is added to the gateway's own host name, and replaces it in the default of DOCS_URL.
    let host = "${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}";
    let choice = |indent: &str, name: &str, prefix: &str| {
        let (domain, own) = match prefix {
            "" => (format!("{host},${{DomainName}}"), host.to_owned()),
            _ => (format!("{prefix}${{DomainName}}"), format!("{prefix}{host}")),
        };
        format!("{name}!If\n{indent}- HasDomain\n{indent}- !Sub {domain}\n{indent}- !Sub {own}\n")
    };
    assert!(variables.contains(&choice("          ", "        API_HOSTS: ", "")));
    let docs = choice("            ", "          - ", "https://");
    assert!(variables.contains(&format!("          - !Ref DocsUrl\n{docs}")));
}

const ADDRESSES: [&str; 8] = [
    "https://api.example.org/v1/media",
    "https://custom.example.org/v1/media",
    "https://API.example.org:8443/",
    "https://docs.example.org/",
    "https://docs.example.org:8443/",
    "https://example.org/",
    "http://example.org/",
    "http://127.0.0.1:9000/",
];

/// The next test runs this in a process with an environment of its own.
#[test]
#[ignore = "says something, and checks nothing"]
fn says_where_webhooks_may_lead() {
    let policy = Environment::default().installation().webhook_addresses;
    let allowed = ADDRESSES.map(|url| webhook_url(url, "url", &policy).is_ok());
    eprintln!("allowed: {allowed:?}");
}

#[test]
fn the_environment_says_where_webhooks_may_lead() {
    for (local, allows_local) in [(None, false), (Some(""), false), (Some("false"), false), (Some("true"), true)] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "operation::installation::says_where_webhooks_may_lead", "--ignored", "--nocapture"]);
        command.env("API_HOSTS", "api.example.org,custom.example.org").env("DOCS_URL", "https://docs.example.org/api/");
        command.env_remove("ALLOW_LOCAL_WEBHOOKS").envs(local.map(|value| ("ALLOW_LOCAL_WEBHOOKS", value)));
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        let expected = [false, false, false, false, true, true, allows_local, allows_local];
        assert!(said.contains(&format!("allowed: {expected:?}\n")), "{local:?}: {said}");
    }
}

#[test]
fn the_guides_name_the_parameters_of_the_template() {
    let (_, section) = DEPLOYING.split_once("\n## Parameters\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let is_camel_case = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.contains(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let named: BTreeSet<&str> = in_back_quotes(section).filter(is_camel_case).collect();
    let parameters = names(block("Parameters:"));
    assert_eq!(named, parameters);
    for assigned in CONNECTING.split_whitespace().filter_map(|word| word.strip_suffix("=…")) {
        assert!(parameters.contains(assigned), "{assigned}");
    }
    assert!(
        names(block("Outputs:")).contains("NotificationsUrl")
            && CONNECTING.contains("the stack's output `NotificationsUrl`")
    );
}

/// The guide names all fields that the app must subscribe to; the platform sends only those.
#[test]
fn the_guide_names_the_fields_that_are_understood() {
    let (_, subscription) = CONNECTING.split_once("subscribe to these fields:\n").unwrap();
    let (subscription, _) = subscription.split_once("\n3. ").unwrap();
    let named: BTreeSet<&str> = in_back_quotes(subscription).collect();
    // The service understands two spellings of one field; the guide names the documented one.
    assert_eq!(named, platform::fields::subscribed_fields().collect());
    assert!(!named.contains("group_participant_update"));
}
