//! Templates: checked, created, shown, changed and deleted.

use serde_json::json;

use crate::kit::{User, eventually};

#[test]
#[ignore = "needs the local stack"]
fn a_template_from_its_check_to_its_deletion() {
    let (user, app) = User::with_app("Templates by hand");
    let account = format!("8{}", std::process::id());
    let signup = ["api", "POST", "/v1/organization/chat/business-profiles/callback", "-f", "code=x", "-F", "test=true"];
    let profile = user.json(&[&signup[..], &["-F", &format!("wabaId=\"{account}\"")]].concat());
    let profile = profile["id"].as_str().unwrap();
    let file = std::env::temp_dir().join(format!("components-{app}.json"));
    std::fs::write(&file, json!([{"type": "BODY", "text": "Your order is on its way."}]).to_string()).unwrap();
    let file = file.to_str().unwrap();
    let create = [
        "templates",
        "create",
        "--account",
        profile,
        "--name",
        "order_rejected",
        "--category",
        "UTILITY",
        "--components",
        file,
    ];
    assert!(user.text(&[&create[..], &["--dry-run"]].concat()).contains("valid"));
    assert_eq!(user.json(&["templates", "list", "--account", profile])["data"], json!([]));
    let made = user.json(&create);
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["status"], "PENDING");
    eventually("the review", || (user.json(&["templates", "show", id])["status"] == "REJECTED").then_some(()));
    let edited = user.json(&["templates", "edit", id, "--category", "MARKETING", "--components", file]);
    assert_eq!((&edited["category"], &edited["status"]), (&json!("MARKETING"), &json!("PENDING")));
    assert!(
        user.text(&["templates", "list", "--account", profile, "--category", "MARKETING"]).contains("order_rejected")
    );
    assert!(user.text(&["templates", "delete", id, "--all-languages"]).contains(id));
    assert!(user.fails(4, &["templates", "show", id]).contains("templateId"));
    assert!(user.fails(2, &["templates", "edit", id, "--components", "no-such-file"]).contains("cannot be read"));
}
