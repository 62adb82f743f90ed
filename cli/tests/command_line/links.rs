//! Onboarding links: created, listed, shown and cancelled.

use crate::kit::User;

const URLS: [&str; 4] = ["--success-url", "https://example.com/done", "--failure-url", "https://example.com/failed"];

#[test]
#[ignore = "needs the local stack"]
fn a_link_from_its_creation_to_its_cancellation() {
    let user = User::local();
    let create = [&["--local", "links", "create", "--test", "--state", "customer-7"][..], &URLS].concat();
    let made = user.json(&create);
    let (id, url) = (made["id"].as_str().unwrap(), made["url"].as_str().unwrap());
    assert!(url.contains("/onboarding#onboarding_"), "{url}");
    let row = |text: &str| text.lines().find(|line| line.contains(id)).map(str::to_owned).unwrap();
    let listed = user.text(&["--local", "links", "list"]);
    assert!(!listed.contains(url), "the URL is shown once");
    let listed = row(&listed);
    assert!(listed.contains("PENDING") && listed.contains("customer-7"), "{listed}");
    assert!(row(&user.text(&["--local", "links", "cancel", id])).contains("CANCELLED"));
    assert!(row(&user.text(&["--local", "links", "show", id])).contains("CANCELLED"));
    user.fails(4, &["--local", "links", "show", "onb_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]);
    let short = [&["--local", "links", "create", "--expires-in", "60"][..], &URLS].concat();
    assert!(user.fails(4, &short).contains("expiresIn"));
    assert!(user.fails(2, &["links", "create"]).contains("--success-url"));
}
