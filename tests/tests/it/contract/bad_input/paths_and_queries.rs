//! Ids in paths, and query parameters.

use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

#[tokio::test]
async fn path_ids_are_judged_as_they_came() {
    let world = World::new().await;
    for id in [
        "x",
        "%00",
        "%2F",
        "%25",
        "..%2f",
        "app_%30ujtsYcgvSTl8PAuAdqWYSMnLOv",
        "'",
        "%22",
        "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv%20",
        "*",
        "%F0%9F%8E%89",
        "%",
    ] {
        let app = &world.org.app;
        for (path, param) in [
            (format!("/v1/organization/apps/{id}"), "appId"),
            (format!("/v1/organization/apps/{app}/webhooks/{id}"), "webhookId"),
        ] {
            world.admin(Call::get(path)).await.refused(400, Some(param), None);
        }
        let number = Call::delete(format!("/v1/organization/phone-numbers/{id}"));
        world.admin(number).await.refused(400, Some("phoneNumberId"), None);
    }
}

#[tokio::test]
async fn query_parameters_are_judged() {
    let world = World::new().await;
    for (query, param) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("limit=", "limit"),
        ("limit=-1", "limit"),
        ("limit=1.5", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=+5", "limit"),
        ("cursor=", "cursor"),
        ("cursor=x", "cursor"),
        ("cursor=%00", "cursor"),
        ("cursor=%F0%9F%8E%89", "cursor"),
        ("limit=1&limit=2", "limit"),
        ("page=2", "page"),
        ("Limit=2", "Limit"),
    ] {
        for list in ["admin-keys", "phone-numbers", "apps"] {
            world.admin(Call::get(format!("/v1/organization/{list}?{query}"))).await.refused(400, Some(param), None);
        }
    }
}

/// Missing parameters come first, then wrong ones, then unknown ones, in whatever order they are sent.
#[tokio::test]
async fn query_parameters_have_an_order_of_errors() {
    let world = World::new().await;
    let (templates, messages) = ("/v1/organization/chat/templates", "/v1/organization/chat/messages");
    let hook = json!({"url": "https://example.com", "events": ["messages.sms.sent"]});
    let hooks = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let hook = text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");
    let deliveries = format!("{hooks}/{hook}/deliveries");
    let profile = "chatBusinessProfileId=wabp_x";

    for (path, query, param) in [
        (templates, "page=2&limit=0&cursor=x".to_owned(), "chatBusinessProfileId"),
        (messages, "page=2&limit=0".to_owned(), "chatPhoneNumberId"),
        (templates, format!("page=2&limit=0&{profile}"), "limit"),
        (templates, format!("page=2&cursor=x&{profile}"), "cursor"),
        (templates, "page=2&chatBusinessProfileId=x".to_owned(), "chatBusinessProfileId"),
        (templates, format!("page=2&{profile}"), "page"),
        ("/v1/organization/apps", "page=2&limit=x".to_owned(), "limit"),
        ("/v1/organization/apps", "page=2&cursor=x".to_owned(), "cursor"),
        ("/v1/organization/apps", "page=2&limit=1&limit=2".to_owned(), "limit"),
        (&deliveries, "page=2&status=x".to_owned(), "status"),
        (&deliveries, "page=2&status=FAILED".to_owned(), "page"),
    ] {
        world.admin(Call::get(format!("{path}?{query}"))).await.refused(400, Some(param), None);
    }
}
