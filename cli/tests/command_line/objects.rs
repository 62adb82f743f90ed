//! Webhooks, deliveries, keys, and what doctor finds.

use serde_json::Value;

use crate::kit::{Receiver, User, eventually};

#[test]
#[ignore = "needs the local stack"]
fn a_delivery_from_its_webhook_to_its_repetition() {
    let (user, app) = User::with_app("Hooks by hand");
    let receiver = Receiver::start(204);
    let create = ["webhooks", "create", &receiver.url, "--event", "messages.chat.received", "-H", "X-Team: blue"];
    let webhook = user.json(&create);
    let (id, secret) = (webhook["id"].as_str().unwrap(), webhook["secret"].as_str().unwrap());
    assert_eq!(user.json(&["webhooks", "list"])["data"][0]["id"], id);
    assert_eq!(user.json(&["webhooks", "list", "--app", &app])["data"][0]["id"], id, "the admin key sees it too");
    assert!(user.text(&["webhooks", "list"]).contains("messages.chat.received"));
    // Other tests leave their own objects in trouble.
    let problem = || {
        let found: Value = serde_json::from_slice(&user.run(&["doctor", "--json"]).stdout).unwrap();
        let is_own = |finding: &&Value| {
            let text = finding["found"].as_str().unwrap();
            finding["check"] == "webhook" && finding["isProblem"] == true && text.contains(&receiver.url)
        };
        found["data"].as_array().unwrap().iter().find(is_own).map(ToString::to_string)
    };
    assert_eq!(problem(), None);

    user.json(&["webhooks", "test", id]);
    let sent = eventually("a delivery", || receiver.received().first().cloned());
    assert_eq!(sent.verified(secret)["type"], "messages.chat.received");
    assert_eq!(sent.header("x-team"), "blue");

    // A receiver that is gone: the delivery fails at once, and the webhook is disabled.
    receiver.respond(410);
    user.json(&["webhooks", "test", id]);
    let failed = eventually("a failure", || {
        let list = user.json(&["deliveries", "list", id, "--status", "FAILED"]);
        list["data"][0]["id"].as_str().map(str::to_owned)
    });
    let found = user.run(&["doctor", "--json"]);
    assert_eq!(found.status.code(), Some(6), "{found:?}");
    let problem = problem().unwrap();
    assert!(problem.contains("disabled"), "{problem}");

    receiver.respond(204);
    user.json(&["api", "PUT", &format!("/v1/webhooks/{id}"), "-f", &format!("url={}", receiver.url)]);
    user.json(&["deliveries", "redeliver", id, &failed]);
    eventually("the repetition", || {
        let list = user.json(&["deliveries", "list", id, "--status", "DELIVERED", "--all"]);
        list["data"].as_array().unwrap().iter().any(|delivery| delivery["id"] == failed.as_str()).then_some(())
    });
    assert!(user.text(&["deliveries", "list", id]).contains("204"));
    let shown = user.text(&["deliveries", "show", id, &failed]);
    assert!(shown.contains("410") && shown.contains("204"), "both attempts: {shown}");
    user.fails(4, &["deliveries", "show", id, "dlv_unknown"]);
    user.fails(4, &["deliveries", "show", id, "dlv_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]);
}

#[test]
#[ignore = "needs the local stack"]
fn failed_deliveries_are_recovered() {
    let (user, app) = User::with_app("Recovered by hand");
    let receiver = Receiver::start(410);
    let webhook = user.json(&["webhooks", "create", &receiver.url, "--event", "messages.chat.received"]);
    let id = webhook["id"].as_str().unwrap();
    user.json(&["webhooks", "test", id]);
    eventually("a failure", || {
        let list = user.json(&["deliveries", "list", id, "--status", "FAILED"]);
        list["data"][0]["id"].as_str().map(str::to_owned)
    });
    let recover = ["webhooks", "recover", id, "--since", "2020-01-01T00:00:00Z"];
    // The webhook is disabled. A dry run sends nothing.
    assert!(user.fails(4, &recover).contains("disabled"));
    let counted = user.json(&[&recover[..], &["--dry-run"]].concat());
    assert_eq!((&counted["status"], &counted["matched"]), (&"COMPLETED".into(), &1.into()));
    receiver.respond(204);
    user.json(&["api", "PUT", &format!("/v1/webhooks/{id}"), "-f", &format!("url={}", receiver.url)]);
    assert!(user.text(&[&recover[..], &["--status", "SKIPPED", "--app", &app]].concat()).contains("COMPLETED"));
    let begun = user.json(&[&recover[..], &["--event", "messages.chat.received", "--no-wait"]].concat());
    let path = format!("/v1/webhooks/{id}/recoveries/{}", begun["id"].as_str().unwrap());
    let ended = eventually("the end", || {
        let recovery = user.json(&["api", "GET", &path]);
        (recovery["status"] != "RUNNING").then_some(recovery)
    });
    assert_eq!((&ended["status"], &ended["delivered"]), (&"COMPLETED".into(), &1.into()));
    assert_eq!(receiver.received().len(), 2);
    // The receiver is gone again: what was delivered is sent once more, and fails.
    receiver.respond(410);
    assert!(user.fails(6, &[&recover[..], &["--status", "DELIVERED"]].concat()).contains("1 delivery failed"));
    assert!(user.fails(4, &["webhooks", "recover", id, "--since", "yesterday"]).contains("RFC 3339"));
}

/// Returns the commands in the remedies of what doctor finds about an object or a key.
fn remedies(user: &User, about: &str) -> Vec<String> {
    let found: Value = serde_json::from_slice(&user.run(&["doctor", "--json"]).stdout).unwrap();
    let own = found["data"].as_array().unwrap().iter().filter(|finding| {
        let mut texts = ["check", "found"].iter().map(|field| finding[*field].as_str().unwrap());
        finding["isProblem"] == true && texts.any(|text| text.contains(about))
    });
    let commands = own.flat_map(|finding| finding["remedy"].as_str().unwrap().split('`').skip(1).step_by(2));
    commands.map(str::to_owned).collect()
}

#[test]
#[ignore = "needs the local stack"]
fn the_remedies_of_doctor_can_be_pasted() {
    let (user, _) = User::with_app("Remedies");
    let receiver = Receiver::start(410);
    let webhook = user.json(&["webhooks", "create", &receiver.url, "--event", "messages.chat.received"]);
    let id = webhook["id"].as_str().unwrap();
    user.json(&["webhooks", "test", id]);
    eventually("a failure", || user.json(&["deliveries", "list", id, "--status", "failed"])["data"].get(0).cloned());
    let commands = remedies(&user, &receiver.url);
    assert_eq!(commands.len(), 2, "{commands:?}");
    receiver.respond(204);
    commands.iter().for_each(|command| user.shell(command));
    let shown = user.json(&["api", "GET", &format!("/v1/webhooks/{id}")]);
    assert_eq!(shown["disabledAt"], Value::Null);
    let delivered = user.json(&["deliveries", "list", id, "--status", "DELIVERED"]);
    assert_eq!(delivered["data"].as_array().unwrap().len(), 1);

    // The stored app key is revoked, so that another one must be created and stored.
    let key = user.key("appKey");
    let path = format!("/v1/organization/apps/{}/keys", webhook["appId"].as_str().unwrap());
    let keys = user.json(&["api", "GET", &path]);
    user.text(&[
        "keys",
        "revoke",
        keys["data"][0]["id"].as_str().unwrap(),
        "--app",
        webhook["appId"].as_str().unwrap(),
    ]);
    let commands = remedies(&user, &key[key.len() - 4..]);
    user.shell(commands.first().unwrap());
    assert_ne!(user.key("appKey"), key);
    user.json(&["webhooks", "list"]);
}

#[test]
#[ignore = "needs the local stack"]
fn a_key_ends_when_it_is_revoked() {
    let user = User::local();
    let app = user.json(&["--local", "apps", "create", "Keys by hand", "--test"])["id"].as_str().unwrap().to_owned();
    let key = user.json(&["--local", "keys", "create", "--app", &app, "--name", "CI"]);
    let owner = User::new()
        .set("MESSAGING_BASE_URL", &crate::kit::variable("BASE_URL"))
        .set("MESSAGING_API_KEY", key["key"].as_str().unwrap());
    owner.json(&["whoami"]);
    let id = key["id"].as_str().unwrap();
    let log = user.text(&["--local", "audit", "--target", id]);
    assert!(log.contains("organization.apps.keys.create") && log.contains("name: none -> CI"), "{log}");
    assert!(user.fails(2, &["--local", "keys", "revoke", id]).contains("--app"));
    user.text(&["--local", "keys", "revoke", id, "--app", &app]);
    assert!(owner.fails(3, &["webhooks", "list"]).contains("messaging login"));

    let admin = user.json(&["--local", "keys", "create", "--name", "Deploy", "--test"]);
    user.text(&["--local", "keys", "revoke", admin["id"].as_str().unwrap()]);
}

#[test]
#[ignore = "needs the local stack"]
fn a_saved_key_is_not_printed() {
    let (user, app) = User::with_app("Saved");
    let saved = user.json(&["keys", "create", "--app", &app, "--save"]);
    assert_eq!((&saved["key"], &saved["profile"]), (&Value::Null, &Value::from("default")));
    assert!(!saved.to_string().contains(&user.key("appKey")));
    assert_eq!(user.json(&["whoami"])["keys"].as_array().unwrap().len(), 2);
    let user = User::local();
    assert!(user.fails(2, &["--local", "keys", "create", "--app", &app, "--save"]).contains("Log in first"));
}
