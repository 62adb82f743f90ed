//! Accounts of the chat platform: connected, listed and disconnected, and where their tokens go.

use serde_json::{Value, json};

use crate::kit::{Receiver, User};

const TOKEN: &str = "EAAsecret-of-the-test";

/// The request is rejected by a receiver that is no service at all, so this test needs no stack.
#[test]
fn a_token_is_read_from_standard_input_or_a_file_and_shown_nowhere() {
    let receiver = Receiver::start(422);
    let address = receiver.url.trim_end_matches("/hook").to_owned();
    let user = User::new().set("MESSAGING_BASE_URL", &address).set("MESSAGING_API_KEY", "sk_admin_x");
    let connect = ["accounts", "connect", "--account", "102290129340398"];
    let file = user.home.path().join("token.txt");
    std::fs::write(&file, format!(" {TOKEN} \nnot a part of it\n")).unwrap();
    let of_file = user.run(&[&connect[..], &["--token-file", file.to_str().unwrap(), "--test"]].concat());
    let of_input =
        user.run_with(&[&connect[..], &["--token-stdin", "--business", "7"]].concat(), &format!("{TOKEN}\n"));
    for done in [&of_file, &of_input] {
        assert_eq!(done.status.code(), Some(4), "{done:?}");
        assert!(!format!("{done:?}").contains(TOKEN));
    }
    let bodies: Vec<Value> =
        receiver.received().iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect();
    let account = "102290129340398";
    assert_eq!(
        bodies,
        [
            json!({"accessToken": TOKEN, "wabaId": account, "test": true}),
            json!({"accessToken": TOKEN, "wabaId": account, "businessId": "7"}),
        ]
    );

    // There is no option that takes a token, and nothing is sent without one.
    assert!(user.fails(2, &[&connect[..], &["--token", TOKEN]].concat()).contains("--token"));
    assert!(user.fails(2, &connect).contains("--token-stdin"));
    assert!(user.fails(2, &[&connect[..], &["--token-file", "no-such-file"]].concat()).contains("cannot be read"));
    let empty = user.run_with(&[&connect[..], &["--token-stdin"]].concat(), "\n");
    assert_eq!(empty.status.code(), Some(2), "{empty:?}");
    assert_eq!(receiver.received().len(), 2);
}

#[test]
#[ignore = "needs the local stack"]
fn an_account_from_its_connection_to_its_disconnection() {
    let user = User::local();
    let account = format!("7{}", std::process::id());
    let connect = ["--local", "accounts", "connect", "--account", &account, "--test", "--token-stdin", "--json"];
    let done = user.run_with(&connect, TOKEN);
    assert!(done.status.success() && !format!("{done:?}").contains(TOKEN), "{done:?}");
    let profile: Value = serde_json::from_slice(&done.stdout).unwrap();
    let id = profile["id"].as_str().unwrap();
    assert_eq!(profile["providerWabaId"], account.as_str());
    let row = |text: &str| text.lines().find(|line| line.contains(id)).map(str::to_owned).unwrap();
    let listed = row(&user.text(&["--local", "accounts", "list"]));
    assert!(listed.contains(&account) && listed.contains("  CONNECTED"), "{listed}");
    let ended = row(&user.text(&["--local", "accounts", "disconnect", id]));
    assert!(ended.contains("DISCONNECTED"), "{ended}");
    let all = user.json(&["--local", "accounts", "list"]);
    let found = all["data"].as_array().unwrap().iter().find(|profile| profile["id"] == id).unwrap();
    assert!(found["disconnectedAt"].is_string());
    user.fails(4, &["--local", "accounts", "disconnect", "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]);
}
