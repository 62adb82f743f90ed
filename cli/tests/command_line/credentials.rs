//! Login, profiles, the environment, and where keys go.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::kit::{Receiver, User, variable};

#[test]
#[ignore = "needs the local stack"]
fn a_key_is_stored_for_its_owner_and_shown_nowhere() {
    let user = User::new();
    let key = variable("ADMIN_KEY");
    let done = user.run_with(&["login", "--base-url", &variable("BASE_URL"), "--key-stdin"], &format!("{key}\n"));
    assert!(done.status.success(), "{done:?}");
    let file = user.home.path().join(".config/messaging/credentials.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let folder = std::fs::metadata(file.parent().unwrap()).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "no draft is left behind");

    let seen = user.json(&["whoami"]);
    assert_eq!(seen["keys"][0]["kind"], "admin key");
    assert_eq!(seen["keys"][0]["organizationId"], variable("ORGANIZATION_ID").as_str());
    assert_eq!(seen["keys"][0]["organizationName"], "Demo");
    let shown = [done.stdout, done.stderr, user.run(&["whoami"]).stdout, user.run(&["doctor"]).stdout].concat();
    assert!(!String::from_utf8(shown).unwrap().contains(&key));

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(user.fails(3, &["whoami"]).contains("chmod 600"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();

    user.text(&["logout"]);
    assert!(user.fails(3, &["whoami"]).contains("messaging login"));
    assert!(!std::fs::read_to_string(&file).unwrap().contains(&key));
}

#[test]
#[ignore = "needs the local stack"]
fn a_profile_has_one_key_of_each_kind_and_they_stay_with_their_address() {
    let user = User::new();
    user.login(&variable("ADMIN_KEY"));
    user.login(&variable("TEST_APP_KEY"));
    let kinds: Vec<_> = user.json(&["whoami"])["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| (key["kind"].clone(), key["mode"].clone()))
        .collect();
    assert_eq!(kinds, [(json!("admin key"), json!(null)), (json!("app key"), json!("test"))]);

    // Another address of the same stack: the keys that were stored with the first one must not go there.
    let other = variable("BASE_URL").replace("localhost", "127.0.0.1");
    let done = user.run_with(&["login", "--base-url", &other, "--key-stdin"], &variable("TEST_APP_KEY"));
    assert!(done.status.success(), "{done:?}");
    assert_eq!(user.json(&["whoami"])["keys"].as_array().unwrap().len(), 1);
    assert!(user.fails(3, &["apps", "list"]).contains("admin key"));
}

#[test]
#[ignore = "needs the local stack"]
fn a_rejected_key_is_not_stored() {
    let user = User::new();
    let login = |url: &str, key: &str| user.run_with(&["login", "--base-url", url, "--key-stdin"], key);
    let wrong = login(&variable("BASE_URL"), "sk_admin_wrong");
    assert_eq!(wrong.status.code(), Some(3), "{wrong:?}");
    let plain = login("http://example.com", &variable("ADMIN_KEY"));
    assert_eq!(plain.status.code(), Some(2), "{plain:?}");
    assert!(String::from_utf8(plain.stderr).unwrap().contains("https://"));
    assert!(!user.home.path().join(".config").exists());
    assert!(user.fails(2, &["login"]).contains("--key-stdin"));
}

#[test]
#[ignore = "needs the local stack"]
fn the_environment_replaces_address_and_key_together() {
    let thief = Receiver::start(200);
    let user = User::new().set("MESSAGING_BASE_URL", &thief.url);
    user.login(&variable("ADMIN_KEY"));
    assert!(user.fails(2, &["apps", "list"]).contains("MESSAGING_API_KEY"));
    assert!(thief.received().is_empty(), "a stored key goes only to its address");

    let user = User::new()
        .set("MESSAGING_BASE_URL", &variable("BASE_URL"))
        .set("MESSAGING_API_KEY", &variable("TEST_APP_KEY"));
    assert_eq!(user.json(&["whoami"])["source"], "the environment");
    assert!(user.fails(3, &["apps", "list"]).contains("admin key"));
}

#[test]
#[ignore = "needs the local stack"]
fn the_local_file_is_read_and_not_executed() {
    let user = User::local();
    let file = user.home.path().join(".local/env");
    let trap = user.home.path().join("trap");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("touch '{0}'\nX=$(touch '{0}')\n{text}", trap.display())).unwrap();
    let folder = user.home.path().join("deep/inside");
    std::fs::create_dir_all(&folder).unwrap();
    let done = user.command(&["--local", "whoami", "--json"]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert!(!trap.exists());
    assert!(user.fails(2, &["--local", "whoami", "--profile", "x"]).contains("either"));
    assert!(User::new().fails(3, &["--local", "whoami"]).contains("make run"));
}
