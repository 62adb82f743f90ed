//! The commands of docs/cli.md, as a reader runs them.

use std::path::Path;

use crate::kit::{User, variable};

#[test]
#[ignore = "needs the local stack"]
fn the_five_minutes_of_the_documentation() {
    let page = include_str!("../../../docs/cli.md");
    let blocks = page.split("\n```bash\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0);
    let script = blocks.collect::<Vec<_>>().join("\n");
    let user = User::local();
    let folder = Path::new(env!("CARGO_BIN_EXE_messaging")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(user.home.path()).env_clear();
    let done = shell.env("PATH", path).env("HOME", user.home.path()).output().unwrap();
    let shown = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{shown}\n{}", String::from_utf8_lossy(&done.stderr));
    for expected in
        ["admin key", "Demo test", "It arrives today.", "DELIVERED", "exit code 4", "text/plain", "\"name\": \"Shop\""]
    {
        assert!(shown.contains(expected), "{expected} is missing:\n{shown}");
    }
    let events = std::fs::read_to_string(user.home.path().join("events.jsonl")).unwrap();
    assert!(events.contains("Is my parcel on its way?") && events.contains("It arrives today."), "{events}");
    assert!(!shown.contains(&variable("ADMIN_KEY")));
}
