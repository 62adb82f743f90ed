//! Whether every operation that changes something enters it.

use http::Method;
use tests::catalogue::{Case, Policy, cases};
use tests::{Service as _, World};

use super::entries;

/// Writes that change no object of the organization: sends, uploads, groups' conversations, simulations, deliveries, and the
/// steps before an account is connected.
const NOT_ENTERED: &[&str] = &[
    "chat.messages.send",
    "chat.messages.markRead",
    "chat.messages.showTyping",
    "sms.send",
    "media.upload",
    "media.uploads.create",
    "media.delete",
    "media.complete",
    "chat.groups.create",
    "chat.groups.update",
    "chat.groups.delete",
    "chat.groups.replaceInviteLink",
    "chat.groups.joinRequests.approve",
    "chat.groups.joinRequests.reject",
    "chat.groups.participants.add",
    "chat.groups.participants.remove",
    "organization.chat.templates.sync",
    "webhooks.test",
    "webhooks.deliveries.redeliver",
    "organization.apps.webhooks.test",
    "organization.apps.webhooks.deliveries.redeliver",
    "playground.chat.simulateInbound",
    "playground.chat.userNumbers.create",
    "playground.notifications.simulate",
    "playground.simulations.run",
    "playground.sms.simulateInbound",
    "onboarding.beginSignup",
    "session.createKey",
];

/// Returns the id of a case's operation.
fn action(document: &serde_json::Value, case: &Case) -> String {
    let operation = &document["paths"][case.template][case.method().as_str().to_lowercase()];
    operation["operationId"].as_str().unwrap_or_else(|| panic!("{} has no id", case.template)).to_owned()
}

#[tokio::test]
async fn every_change_is_entered_once() {
    let world = World::new().await;
    let document = contract::document();
    let mut entered = 0;
    for case in cases(&world).await {
        let action = action(&document, &case);
        let filter = format!("action={action}");
        let before = entries(&world, &filter).await.len();
        let reply = world.send(case.call.clone().key(case.right_key(&world.org))).await;
        assert_eq!(reply.status.as_u16(), case.status, "{action}: {}", reply.text);

        let is_change = case.method() != Method::GET && !NOT_ENTERED.contains(&action.as_str());
        // The last case deletes the key that reads the log.
        if action == "organization.adminKeys.delete" {
            continue;
        }
        let found = entries(&world, &filter).await;
        assert_eq!(found.len() - before, usize::from(is_change), "{action}: {found:?}");
        if is_change {
            entered += 1;
            let entry = &found[0];
            // The user of this case has not written, and cannot be blocked.
            let outcome = if action == "chat.phoneNumbers.blockedUsers.block" { "FAILED" } else { "DONE" };
            assert_eq!(entry["outcome"], outcome, "{entry}");
            let kind = match case.policy {
                Policy::Link => "LINK",
                Policy::SignedIn => "MEMBER",
                _ => "KEY",
            };
            assert_eq!(entry["actor"]["kind"], kind, "{entry}");
            assert!(entry["target"]["id"].is_string() && entry["requestId"].is_string(), "{entry}");
        }
    }
    assert!(entered > 40, "{entered}");
}

#[tokio::test]
async fn actions_are_the_ids_of_operations() {
    let document = contract::document();
    let mut named = 0;
    for needed in contract::needed_scopes() {
        let path = needed.operation.path.as_ref();
        let operation = &document["paths"][path][needed.operation.method.to_lowercase()];
        assert_eq!(operation["operationId"], needed.action, "{path}");
        named += 1;
    }
    assert!(named > 80, "{named}");
}
