//! Requests that the state of an object rejects.

use serde_json::json;
use tests::catalogue::{PROFILES, begun_onboarding, onboarding_link};
use tests::chat::{connect, notification};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::rejected::{with_body, with_field, with_last_id, with_path};

/// Brings an object into a state that rejects the request, and returns the request for it.
pub(super) async fn rejected_by_state(world: &World, id: &str, call: &Call) -> Vec<Call> {
    match id {
        "chat.groups.delete"
        | "chat.groups.update"
        | "chat.groups.replaceInviteLink"
        | "chat.groups.joinRequests.list"
        | "chat.groups.joinRequests.approve"
        | "chat.groups.joinRequests.reject"
        | "chat.groups.participants.add"
        | "chat.groups.participants.remove" => {
            let group = deleted_group(world, call).await;
            vec![with_last_id(call, |_| group.clone())]
        }
        "onboarding.beginSignup" => vec![of_a_cancelled_link(world, call).await],
        "onboarding.complete" => {
            vec![of_a_cancelled_link(world, call).await, with_field(call, "state", json!("of-another-browser"))]
        }
        "organization.chat.businessProfiles.disconnect" => {
            let profile = profile_of_the_playground(world).await;
            vec![with_last_id(call, |_| profile.clone())]
        }
        "organization.chat.businessProfiles.connect" => {
            connected_by_others(world, "4390").await;
            vec![with_body(call, &json!({"accessToken": "token-4390", "wabaId": "4390"}))]
        }
        "organization.chat.businessProfiles.completeSignup" => {
            connected_by_others(world, "4391").await;
            vec![with_body(call, &json!({"code": "code.4391"}))]
        }
        "organization.chat.templates.delete" => {
            let template = template_without_a_name(world, "4392").await;
            let path = call.path.rsplit_once('/').unwrap().0;
            vec![with_path(call, format!("{path}/{template}"))]
        }
        "sms.send" => {
            let number = json!({"number": "+12015550197", "appIds": [world.org.app]});
            world.admin(Call::post("/v1/organization/phone-numbers").json(&number)).await.expect(201);
            vec![with_field(call, "from", number["number"].clone()).key(&world.org.app_key)]
        }
        _ => Vec::new(),
    }
}

/// Creates and deletes a group of the number that has the group of the request. Returns its id.
async fn deleted_group(world: &World, call: &Call) -> String {
    let key = &world.org.test_app_key;
    let path: Vec<&str> = call.path.split('/').take(5).collect();
    let other = world.send(Call::get(path.join("/")).key(key)).await.expect(200);
    let new = json!({"chatPhoneNumberId": other["chatPhoneNumberId"], "subject": "Deleted"});
    let group = text(&world.send(Call::post("/v1/chat/groups").key(key).json(&new)).await.expect(201), "id");
    world.send(Call::delete(format!("/v1/chat/groups/{group}")).key(key)).await.expect(200);
    group
}

/// The request with the token of a link whose signup was begun before the link was cancelled.
async fn of_a_cancelled_link(world: &World, call: &Call) -> Call {
    let (_, token) = onboarding_link(world).await;
    let (cookie, state) = begun_onboarding(world, &token).await;
    world.send(Call::post("/v1/onboarding/cancel").key(&token)).await.expect(200);
    let call = call.clone().key(&token).header("cookie", &cookie);
    if call.body.is_empty() { call } else { with_body(&call, &json!({"code": "code.1001", "state": state})) }
}

async fn profile_of_the_playground(world: &World) -> String {
    let profiles = world.admin(Call::get(format!("{PROFILES}?limit=100"))).await.expect(200);
    let profiles = profiles["data"].as_array().unwrap();
    text(profiles.iter().find(|profile| profile["providerWabaId"] == "1000").unwrap(), "id")
}

/// Another organization connects an account with a token, so that its code is still unused.
async fn connected_by_others(world: &World, account: &str) {
    let others = world.organization(&format!("Organization {account}")).await;
    world.platform.account(account, &[(&format!("{account}1"), &format!("+1201555{account}"))]);
    let body = json!({"accessToken": format!("token-{account}"), "wabaId": account});
    world.send(Call::post(PROFILES).key(&others.admin).json(&body)).await.expect(201);
}

/// A template of which the platform has reported no more than its status. Returns its id.
async fn template_without_a_name(world: &World, account: &str) -> String {
    connect(world, &world.org, account).await;
    let id = format!("{account}001");
    let update = json!({"event": "REJECTED", "message_template_id": id.parse::<u64>().unwrap()});
    let update = notification(account, 2_000_000_000, "message_template_status_update", &update);
    world.notify(&update).await.expect(200);
    id
}
