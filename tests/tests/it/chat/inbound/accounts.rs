//! Groups, accounts, numbers and templates, in documented and in odd forms.

use serde_json::{Value, json};
use tests::chat::{Line, connect, events};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::harness::{notification, post, stored};

/// The JSON of a notification about an account.
fn about(account: &str, time: &str, field: &str, value: &str) -> String {
    format!(
        r#"{{"entry": [{{"id": "{account}", "time": {time}, "changes": [{{"field": "{field}", "value": {value}}}]}}]}}"#
    )
}

async fn create_group(world: &World, line: &Line) -> String {
    let body = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    text(&world.send(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&body)).await.expect(201), "id")
}

async fn group(world: &World, line: &Line, id: &str) -> Value {
    world.send(Call::get(format!("/v1/chat/groups/{id}")).key(&line.org.app_key)).await.expect(200)
}

#[tokio::test]
async fn groups_are_read_in_each_form() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2401").await;
    let id = create_group(&world, &line).await;
    let tell = async |field: &str, group: &str| {
        post(&world, notification(&line, field, &[format!(r#""groups": {group}"#)])).await;
        super::accounts::group(&world, &line, &id).await
    };
    // The creation names its first members.
    let created = r#"{"type": "group_create", "timestamp": 2000000000, "request_id": "request-1", "group_id": "G1", "errors": [],
        "invite_link": "https://chat.whatsapp.com/XYZ", "added_participants": [{"wa_id": 16505550001}, {"user_id": "US.1", "username": "u"}]}"#;
    let shown = tell("group_lifecycle_update", &format!("[{created}]")).await;
    assert_eq!((&shown["status"], &shown["participants"]), (&json!("ACTIVE"), &json!(["+16505550001", "US.1"])));
    let participants = |shown: &Value| {
        shown["participants"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (at, field, kind, list, expected) in [
        (
            1,
            "group_participants_update",
            "group_participants_add",
            r#""added_participants": {"wa_id": "16505550002"}"#,
            vec!["+16505550001", "+16505550002", "US.1"],
        ),
        (
            2,
            "group_participant_update",
            "group_add_participants",
            r#""added_participants": ["16505550003", null, 7]"#,
            vec!["+16505550001", "+16505550002", "+16505550003", "7", "US.1"],
        ),
        (
            3,
            "group_participants_update",
            "group_participants_remove",
            r#""removed_participants": [{"input": "+1 650 555 0002"}, {"wa_id": null, "input": "7"}]"#,
            vec!["+16505550001", "+16505550003", "US.1"],
        ),
        (
            4,
            "group_participants_update",
            "group_remove_participants",
            r#""removed_participants": [{"wa_id": "16505550003", "user_id": "US.3"}], "initiated_by": "participant""#,
            vec!["+16505550001", "US.1"],
        ),
        (
            5,
            "group_participants_update",
            "group_participants_add",
            r#""added_participants": "x", "removed_participants": {}"#,
            vec!["+16505550001", "US.1"],
        ),
    ] {
        let shown =
            tell(field, &format!(r#"[{{"type": "{kind}", "group_id": "G1", "timestamp": "200000000{at}", {list}}}]"#))
                .await;
        assert_eq!(participants(&shown), expected, "{list}");
    }
    // Neighbours of an odd update, and an update that is an object instead of a list.
    let odd = r#"[{"type": {}, "group_id": "G1", "timestamp": []}, {"group_id": "G1", "timestamp": "2000000010000", "group_subject": {"text": 42, "update_successful": "true"}}]"#;
    assert_eq!(tell("group_settings_update", odd).await["subject"], "42");
    assert_eq!(
        tell("group_status_update", r#"{"type": "group_suspend", "group_id": "G1", "timestamp": 2000000011}"#).await["status"],
        "SUSPENDED"
    );
    // Messages and statuses name the group by its own id.
    let value = r#""messages": [{"id": "wamid.in", "from": "16505550001", "group_id": "G1", "timestamp": "2000000000", "type": "text", "text": {"body": "x"}}],
        "statuses": [{"id": "wamid.out", "status": "sent", "timestamp": "2000000000", "recipient_type": "group", "recipient_id": "G1"}]"#;
    post(&world, notification(&line, "messages", &[value.to_owned()])).await;
    let messages = stored(&world, &line).await;
    assert_eq!((&messages["wamid.in"].0["groupId"], &messages["wamid.out"].0["groupId"]), (&json!(id), &json!(id)));
    assert_eq!(messages["wamid.out"].0["recipients"], json!([]));
    assert!(world.dead_letters().await.is_empty());
}

#[tokio::test]
async fn a_group_that_failed_says_so_in_each_form() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2402").await;
    for (n, errors) in [r#"[{"code": 131214}]"#, r#"{"code": "131214"}"#, r#""not eligible""#].into_iter().enumerate() {
        let id = create_group(&world, &line).await;
        let failed =
            format!(r#""groups": [{{"type": "group_create", "request_id": "request-{}", "errors": {errors}}}]"#, n + 1);
        post(&world, notification(&line, "group_lifecycle_update", &[failed])).await;
        assert_eq!(group(&world, &line, &id).await["status"], "FAILED", "{errors}");
    }
}

#[tokio::test]
async fn reviews_and_qualities_are_translated() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2403").await;
    let number = async || {
        world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{}", line.number))).await.expect(200)
    };
    let profile = async || {
        world.admin(Call::get(format!("/v1/organization/chat/business-profiles/{}", line.profile))).await.expect(200)
    };
    for (n, (sent, shown)) in [
        (r#""APPROVED""#, "APPROVED"),
        (r#""declined""#, "REJECTED"),
        (r#""AVAILABLE_WITHOUT_REVIEW""#, "APPROVED"),
        (r#""EXPIRED""#, "REJECTED"),
        (r#""PENDING_REVIEW""#, "PENDING"),
        (r#""Deferred""#, "DEFERRED"),
        (r#"["APPROVED"]"#, "DEFERRED"),
        (r#""NOVEL""#, "DEFERRED"),
        ("null", "DEFERRED"),
    ]
    .into_iter()
    .enumerate()
    {
        let time = format!("20000001{n:02}");
        let digits = if n % 2 == 0 { line.display.clone() } else { format!("\"+{}\"", line.display) };
        post(&world, about("2403", &time, "account_review_update", &format!(r#"{{"decision": {sent}}}"#))).await;
        let name = format!(
            r#"{{"display_phone_number": {digits}, "decision": {sent}, "requested_verified_name": 7, "rejection_reason": null}}"#
        );
        post(&world, about("2403", &time, "phone_number_name_update", &name)).await;
        assert_eq!(
            (&profile().await["reviewDecision"], &number().await["nameStatus"]),
            (&json!(shown), &json!(shown)),
            "{sent}"
        );
    }
    assert_eq!(number().await["requestedVerifiedName"], "7");
    for (time, event) in [
        ("2000000200", r#""THROUGHPUT_UPGRADE""#),
        ("2000000201000", r#""FLAGGED""#),
        (r#""2000000202""#, "{}"),
        ("null", "null"),
    ] {
        let quality =
            format!(r#"{{"display_phone_number": "{}", "event": {event}, "current_limit": -1}}"#, line.display);
        post(&world, about("2403", time, "phone_number_quality_update", &quality)).await;
    }
    let shown = number().await;
    assert_eq!(
        (&shown["qualityEvent"], &shown["throughputTier"], &shown["qualityEventAt"]),
        (&json!("FLAGGED"), &json!("HIGH"), &json!("2033-05-18T03:36:41.000Z"))
    );
    assert!(world.dead_letters().await.is_empty());
}

/// A reconnected account is connected, and says so.
#[tokio::test]
async fn an_account_that_comes_back_is_connected() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2404").await;
    let connected = async || events(&world, &world.org, "chat.account.connected").await;
    let before = connected().await.len();
    for (time, value, disconnected, reconnected) in [
        (
            "2100000000",
            r#"{"event": "PARTNER_REMOVED", "waba_info": {"waba_id": 2404}, "disconnection_info": "x"}"#,
            1,
            0,
        ),
        ("2100000001", r#"{"event": "ACCOUNT_RECONNECTED"}"#, 1, 1),
        ("2100000001", r#"{"event": "ACCOUNT_RECONNECTED"}"#, 1, 1),
        ("2100000002", r#"{"event": ["ACCOUNT_DELETED"]}"#, 1, 1),
        ("2100000003", r#"{"event": "account_deleted", "waba_info": []}"#, 2, 1),
        ("2100000004", r#"{"event": "ACCOUNT_VIOLATION", "violation_info": null}"#, 2, 1),
    ] {
        post(&world, about("2404", time, "account_update", value)).await;
        assert_eq!(events(&world, &world.org, "chat.account.disconnected").await.len(), disconnected, "{value}");
        assert_eq!(connected().await.len() - before, reconnected, "{value}");
    }
    assert_eq!(connected().await.iter().filter(|profile| profile["id"] == line.profile.as_str()).count(), 2);

    // The reconnection arrives before the disconnection that it ended.
    let other = connect(&world, &world.org, "2406").await;
    let told =
        [("2100000002", r#"{"event": "ACCOUNT_RECONNECTED"}"#), ("2100000001", r#"{"event": "PARTNER_REMOVED"}"#)];
    for (time, value) in told {
        post(&world, about("2406", time, "account_update", value)).await;
    }
    let disconnected = events(&world, &world.org, "chat.account.disconnected").await;
    assert!(disconnected.iter().all(|profile| profile["id"] != other.profile.as_str()), "{disconnected:?}");
}

/// A template that only notifications have mentioned leaves out what they did not say.
#[tokio::test]
async fn templates_say_what_is_known() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2405").await;
    let shown = async |id: &str| {
        let path = format!("/v1/organization/chat/templates?chatBusinessProfileId={}", line.profile);
        let list = world.admin(Call::get(path)).await.expect(200);
        let mut found =
            list["data"].as_array().unwrap().iter().find(|template| template["id"] == id).cloned().unwrap_or_default();
        for name in ["id", "chatBusinessProfileId", "createdAt", "updatedAt"] {
            found.as_object_mut().unwrap().remove(name);
        }
        found
    };
    let status = "message_template_status_update";
    for (n, (id, field, value, expected)) in [
        ("71", status, r#""message_template_id": 71, "event": "APPROVED""#, json!({"status": "APPROVED"})),
        ("71", status, r#""message_template_id": 71, "event": "PAUSED", "message_template_name": "late", "message_template_language": "de-DE""#,
            json!({"status": "PAUSED", "name": "late", "language": "de_DE"})),
        ("71", "template_category_update", r#""message_template_id": "71", "new_category": "UTILITY", "previous_category": "MARKETING""#,
            json!({"status": "PAUSED", "name": "late", "language": "de_DE", "category": "UTILITY"})),
        ("72", status, r#""message_template_id": "72", "event": "REJECTED", "reason": "SCAM", "message_template_name": 7, "message_template_language": {}, "message_template_category": ["X"]"#,
            json!({"status": "REJECTED", "rejectedReason": "SCAM", "name": "7"})),
        ("72", "message_template_quality_update", r#""message_template_id": 72, "new_quality_score": "GREEN", "previous_quality_score": null"#,
            json!({"status": "REJECTED", "rejectedReason": "SCAM", "name": "7", "qualityScore": "GREEN"})),
        ("72", status, r#""message_template_id": 72, "event": "APPROVED", "reason": "NONE""#, json!({"status": "APPROVED", "name": "7", "qualityScore": "GREEN"})),
    ].into_iter().enumerate() {
        post(&world, about("2405", &format!("20000003{n:02}"), field, &format!("{{{value}}}"))).await;
        assert_eq!(shown(id).await, expected, "{value}");
    }
    let created = events(&world, &world.org, "templates.chat.created").await;
    assert_eq!(created.len(), 2);
    assert!(created.iter().all(|template| template.get("components").is_none() && template.get("category").is_none()));
}

/// A simulated status of a test number takes the way of a queued update, and stays in test mode.
#[tokio::test]
async fn updates_of_a_test_number_are_test_updates() {
    let world = World::new().await;
    let numbers =
        world.send(Call::get("/v1/organization/chat/phone-numbers").key(&world.org.test_admin)).await.expect(200);
    let number = &numbers["data"][0];
    let route =
        json!({"organizationId": world.org.id, "profileId": number["businessProfile"]["id"], "numberId": number["id"]});
    let update = |part: &str, body: Value| {
        let update = json!({"account": "1", "number": "2", "field": "messages", "part": part, "body": body});
        json!({"route": route, "update": update}).to_string()
    };
    let status = |status: &str| {
        update(
            "status",
            json!({"id": "wamid.simulated", "status": status, "timestamp": "2000000000", "recipient_id": "12015550123"}),
        )
    };
    let message = update(
        "message",
        json!({"id": "wamid.in", "from": "12015550123", "timestamp": "2000000000", "type": "text", "text": {"body": "x"}}),
    );
    let updates = vec![status("sent"), status("delivered"), message];
    let job = domain::job::Job::updates(world.org.id.parse().ok(), updates);
    world.worker.inbox.queue.send(&[job]).await.unwrap();
    world.work_off().await;
    assert!(world.dead_letters().await.is_empty());
    let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={}", text(number, "id"));
    let messages = world.send(Call::get(path).key(&world.org.test_admin)).await.expect(200);
    assert!(messages["data"].as_array().unwrap().iter().all(|message| text(message, "id").starts_with("msg_wa_test_")));
    assert_eq!(messages["data"].as_array().unwrap().len(), 2);
    let items = world.account.items().await;
    let modes: Vec<_> = items
        .iter()
        .filter(|item| item["PK"].starts_with("EVT#") && item["type"].contains(".chat."))
        .map(|item| item["mode"].clone())
        .collect();
    assert_eq!(modes, ["test"; 4], "sent, delivered, received, and the contact");
}
