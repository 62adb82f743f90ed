//! Events of the gateway.

use api::gateway::{GatewayEvent, handle};
use lambda_http::{Context, LambdaEvent};
use serde_json::{Value, json};
use tests::World;
use tests::request::text;

const PATHS: [&str; 18] = [
    "/v1/organization/apps/a b",
    "/v1/organization/apps/\"",
    "/v1/organization/apps/\u{0}",
    "/v1/organization/apps/é",
    "/v1/organization/apps/a?b",
    "/v1/organization/apps/#",
    "/v1/organization/apps/..",
    "/v1/organization/apps/%",
    "/v1/organization/apps/%zz",
    "/v1/organization/apps/<>",
    "/v1/organization/apps/\\",
    "/v1/organization/apps/{appId}",
    "/v1/media/../../etc",
    "",
    "/",
    "no-slash",
    "/v1/organization/apps/a/b/c",
    "/v1/media/a/b",
];

const QUERIES: [&str; 10] =
    ["", "limit=\"", "limit=1 ", "cursor=\u{0}", "cursor=%00", "limit=%", "&&&==", "é", "limit=1&limit=2", "x=1"];

/// Requests in the gateway's event format, with decoded paths and original headers, through the runtime's own conversion.
#[tokio::test]
async fn events_of_the_gateway_never_end_in_a_5xx() {
    let world = World::new().await;
    for path in PATHS {
        for query in QUERIES {
            let event = json!({
                "version": "2.0", "rawPath": path, "rawQueryString": query,
                "headers": {"authorization": format!("Bearer {}", world.org.admin), "host": "a b", "x-odd": "\u{1}", "cookie": "é"},
                "requestContext": {"stage": "$default", "requestId": "id-1", "http": {"method": "GET", "path": path}},
                "isBase64Encoded": false,
            });
            let event: GatewayEvent = serde_json::from_value(event).unwrap();

            let api = world.api(path);
            let reply = handle(api, LambdaEvent::new(event, Context::default())).await.unwrap();
            let reply = serde_json::to_value(reply).unwrap();
            assert_eq!((&reply["headers"]["x-request-id"], &reply["isBase64Encoded"]), (&json!("id-1"), &json!(false)));

            let status = reply["statusCode"].as_u64().unwrap();
            if ["", "/"].contains(&path) {
                // The root URL redirects to the reference.
                assert_eq!(status, 302, "{path}?{query}");
                continue;
            }
            let body: Value = serde_json::from_str(&text(&reply, "body")).unwrap();
            assert!((400..500).contains(&status) && body["error"].is_object(), "{path}?{query}: {status} {body}");
        }
    }
}
