use serde_json::json;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn the_configuration_is_set_as_a_whole() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/calling", world.org.app);
    world.admin(Call::get(&path)).await.refused(404, Some("appId"), Some("calling_not_configured"));
    world.admin(Call::put(&path)).await.refused(400, Some("body"), None);
    let set = world.admin(Call::put(&path).json(&json!({}))).await.expect(200);
    assert_eq!(
        set,
        json!({"id": world.org.app.replace("app_", "cc_"), "appId": world.org.app, "organizationId": world.org.id,
            "voicemailEnabled": false, "voicemailMaxDuration": 120, "autoRecordEnabled": false, "recordingFormat": "mp4",
            "defaultAnswerBehavior": "webhook", "maxConcurrentCalls": 10, "chatCallingEnabled": false, "chatSipEnabled": false,
            "createdAt": set["createdAt"], "updatedAt": set["createdAt"]})
    );
    world.clock.advance(std::time::Duration::from_secs(1));
    let body = json!({"voicemailEnabled": true, "voicemailGreetingUrl": "https://example.com/hi.mp3", "voicemailMaxDuration": 600,
        "autoRecordEnabled": true, "recordingFormat": "webm", "defaultAnswerBehavior": "voicemail", "maxConcurrentCalls": 1000,
        "chatCallingEnabled": true, "chatSipEnabled": true});
    let changed = world.admin(Call::put(&path).json(&body)).await.expect(200);
    for (field, value) in body.as_object().unwrap() {
        assert_eq!(&changed[field], value, "{field}");
    }
    assert_eq!(changed["createdAt"], set["createdAt"]);
    assert_ne!(changed["updatedAt"], set["updatedAt"]);
    assert_eq!(world.admin(Call::get(&path)).await.expect(200), changed);
    let of_test = format!("/v1/organization/apps/{}/calling", world.org.test_app);
    let of_test = world.admin(Call::put(of_test).json(&json!({}))).await.expect(200);
    assert_eq!(of_test["id"], json!(world.org.test_app.replace("app_test_", "cc_test_")));
    let reset = world.admin(Call::put(&path).json(&json!({"chatSipEnabled": true}))).await.expect(200);
    assert_eq!((&reset["voicemailEnabled"], &reset["chatSipEnabled"]), (&json!(false), &json!(true)));
    assert!(reset.get("voicemailGreetingUrl").is_none());
}

#[tokio::test]
async fn wrong_input_is_refused() {
    let world = World::new().await;
    let path = format!("/v1/organization/apps/{}/calling", world.org.app);
    for (body, param) in [
        (json!({"voicemailEnabled": "true"}), "voicemailEnabled"),
        (json!({"voicemailGreetingUrl": "http://example.com"}), "voicemailGreetingUrl"),
        (json!({"voicemailMaxDuration": 0}), "voicemailMaxDuration"),
        (json!({"voicemailMaxDuration": 601}), "voicemailMaxDuration"),
        (json!({"voicemailMaxDuration": -1}), "voicemailMaxDuration"),
        (json!({"maxConcurrentCalls": 1001}), "maxConcurrentCalls"),
        (json!({"maxConcurrentCalls": 1.5}), "maxConcurrentCalls"),
        (json!({"recordingFormat": "mp3"}), "recordingFormat"),
        (json!({"recordingFormat": {"mp4": null}}), "recordingFormat"),
        (json!({"defaultAnswerBehavior": null}), "defaultAnswerBehavior"),
        (json!({"id": "cc_x"}), "id"),
    ] {
        world.admin(Call::put(&path).json(&body)).await.refused(400, Some(param), None);
    }
    world.admin(Call::get(&path)).await.refused(404, Some("appId"), Some("calling_not_configured"));
    let missing = "/v1/organization/apps/app_0ujtsYcgvSTl8PAuAdqWYSMnLOv/calling";
    world.admin(Call::get(missing)).await.refused(404, Some("appId"), None);
    world.admin(Call::put(missing).json(&json!({}))).await.refused(404, Some("appId"), None);
    world.send(Call::get(&path).key(&world.org.test_admin)).await.refused(404, Some("appId"), None);
}
