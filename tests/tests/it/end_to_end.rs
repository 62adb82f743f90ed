//! Requests through the deployed gateway.

use tests::catalogue::cases;
use tests::deployed::Deployed;
use tests::{Call, Service as _};

#[tokio::test]
async fn every_operation_succeeds_through_the_gateway() {
    let stack = Deployed::from_env();
    for case in cases(&stack).await {
        let reply = stack.send(case.call.clone().key(case.right_key(stack.org()))).await;
        assert_eq!(reply.status.as_u16(), case.status, "{case:?}: {reply:?}");
        assert!(reply.header("x-request-id").is_some() && reply.header("cache-control") == Some("no-store"));
    }
    stack.send(Call::get("/v1/health")).await.expect(200);
    stack.send(Call::get("/v1/errors")).await.expect(200);
}

#[tokio::test]
async fn refusals_keep_their_shape_through_the_gateway() {
    let stack = Deployed::from_env();
    stack.send(Call::get("/v1/organization/settings")).await.unauthenticated("Missing Authorization header");
    stack.send(Call::get("/v1/nope")).await.refused(404, None, None);
    let refused = stack.send(Call::put("/v1/organization/settings")).await;
    assert_eq!(refused.header("allow"), Some("GET, PATCH"));
    refused.refused(405, None, None);
    let refused =
        stack.admin(Call::post("/v1/organization/phone-numbers").json(&serde_json::json!({"number": "1"}))).await;
    let body = refused.refused(400, Some("number"), Some("invalid_phone_number"));
    let doc_url = format!("{}/api_reference/error-codes#invalid_phone_number", stack.base_url);
    assert_eq!(body["error"]["doc_url"], serde_json::json!(doc_url));
}

/// A webhook may name neither the host of the published reference nor the API's own host.
#[tokio::test]
async fn no_webhook_of_the_stack_leads_back_to_it() {
    let stack = Deployed::from_env();
    let path = format!("/v1/organization/apps/{}/webhooks", stack.org().app);
    for url in [format!("{}/v1/media", stack.base_url), format!("{}/v1/media", tests::settings::API_URL)] {
        let body = serde_json::json!({"url": url, "events": ["messages.sms.sent"]});
        stack.admin(Call::post(&path).json(&body)).await.refused(400, Some("url"), None);
    }
}

#[tokio::test]
async fn odd_paths_and_queries_are_4xx_through_the_gateway() {
    let stack = Deployed::from_env();
    for target in [
        "/v1/organization/apps/\"",
        "/v1/organization/apps/%00",
        "/v1/organization/apps/%2F",
        "/v1/organization/apps/%25",
        "/v1/organization/apps/..",
        "/v1/organization/apps/../settings/x",
        "/v1/organization/apps/%20",
        "/v1/organization/apps/a%20b",
        "/v1/organization/apps/%C3%A9",
        "/v1/organization/apps/%FF",
        "/v1/organization/apps/a/webhooks/%2e%2e",
        "/v1/organization/apps?limit=%22",
        "/v1/organization/apps?limit=%00",
        "/v1/organization/apps?cursor=%25",
        "/v1/organization/apps?limit=1%20",
        "/v1/organization/apps?limit=\"",
    ] {
        let reply = stack.raw("GET", target, &stack.org().admin);
        assert!(reply.status.is_client_error(), "{target}: {reply:?}");
    }
}
