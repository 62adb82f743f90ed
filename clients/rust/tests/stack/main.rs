//! Calls each operation of the library once on the local stack, and runs the examples there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod accounts;
mod apps;
mod people;
mod recorder;
mod sending;
mod webhooks;

use std::path::PathBuf;
use std::process::Command;

use messaging_client::types::Event;

use recorder::Stack;

/// Most of this waits for what the service does later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a deployed stack"]
async fn every_operation() {
    let stack = &Stack::from_env();
    tokio::join!(
        apps::organization(stack),
        people::people(stack),
        accounts::accounts(stack),
        sending::messages(stack),
        sending::groups(stack),
        sending::media(stack),
        webhooks::of_the_own_app(stack),
        webhooks::of_any_app(stack),
        reference(stack),
    );
    events(stack).await;
    sending::playground(stack).await;
    let document = stack.app.openapi().get().await.unwrap();
    assert_eq!(stack.recorder.uncalled(&document.raw), Vec::<String>::new());
}

async fn events(stack: &Stack) {
    let types = ["messages.chat.read", "messages.sms.delivered"].map(|name| name.to_owned().into());
    let event = stack.app.events().follow().after("oldest").types(&types).next().await.unwrap();
    assert!(matches!(*event, Event::MessagesChatRead(_) | Event::MessagesSmsDelivered(_)), "{event:?}");
    let id = event.raw["id"].as_str().unwrap();
    assert_eq!(stack.admin.organization().events().get(id).await.unwrap().raw["event"]["id"], id);

    let oldest = messaging_client::queries::EventsListQuery { after: Some("oldest".into()), ..Default::default() };
    let page = stack.admin.organization().apps().events().list(&stack.app_id, &oldest).await.unwrap();
    let own = stack.app.events().list(&oldest).await.unwrap();
    assert_eq!(own.raw["data"][0]["sequence"], page.raw["data"][0]["sequence"]);
    assert!(!page.next_after.is_empty());
}

async fn reference(stack: &Stack) {
    assert_eq!(stack.app.health().get().await.unwrap().raw["status"], "ok");
    assert!(stack.app.errors().list().await.unwrap().raw["data"][0].is_object());
}

#[test]
#[ignore = "needs a deployed stack"]
fn the_examples_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("photo.png"), sending::PNG).unwrap();
    for (name, arguments, expected) in [
        ("send_message", &[][..], "SMS: Some(Accepted) Delivered"),
        ("readme", &[], "Some(\"text\")"),
        ("upload_file", &["photo.png"], "media_"),
        ("follow_events", &["position.txt", "--once"], "evt_"),
    ] {
        let test = std::env::current_exe().unwrap();
        let program: PathBuf = test.parent().unwrap().join("../examples").join(name);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder.path());
        command.env("MESSAGING_BASE_URL", std::env::var("BASE_URL").unwrap());
        command.env("MESSAGING_API_KEY", std::env::var("TEST_APP_KEY").unwrap());
        let ended = command.output().unwrap();
        let printed = String::from_utf8_lossy(&ended.stdout);
        let failed = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && printed.contains(expected), "{name}: {printed}{failed}");
    }
}
