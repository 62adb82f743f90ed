//! `Playground-Error`: a request with a test credential gets the error that it names (docs/test-mode.md).

use api::status;
use domain::{ErrorCode, ErrorKind, ErrorType};
use serde_json::json;
use tests::catalogue::{Policy, cases};
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Reply, Service as _, World};

const HEADER: &str = "Playground-Error";

/// Checks that the response is the error with this code, as `GET /v1/errors` describes it.
#[track_caller]
fn expect_error(reply: Reply, code: ErrorCode) {
    let entry = code.entry();
    let has_wait = matches!(entry.kind, ErrorKind::TooManyRequests | ErrorKind::Unavailable);
    assert_eq!(reply.header("retry-after").is_some(), has_wait, "{reply:?}");
    let body = reply.expect(status::of(entry.kind).as_u16());
    let error = &body["error"];
    assert_eq!((&error["code"], &error["type"]), (&json!(entry.code), &json!(entry.error_type)));
    assert!(error["doc_url"].as_str().is_some_and(|url| url.ends_with(&format!("#{code}"))), "{body}");
    let is_of_provider = entry.error_type == ErrorType::ProviderError;
    assert_eq!(error["provider"].is_object(), is_of_provider, "{body}");
    // The codes of the platform are numbers, and those of the carrier texts.
    assert_eq!(error["provider"]["code"].is_string(), error["provider"]["source"] == "carrier", "{body}");
    let is_blocked = [ErrorCode::AccountRestricted, ErrorCode::DisplayNameNotApproved].contains(&code);
    let health = &error["provider"]["health_status"]["can_send_message"];
    assert_eq!(*health == "BLOCKED", is_blocked, "{body}");
    assert_eq!(error["additional_info"].is_array(), is_blocked, "{body}");
}

/// Each of the 44 codes, for a read, a POST with `Idempotency-Key`, an upload and paths that name nothing. Nothing of
/// it has an effect: the table stays as it is, and the key can be used afterwards.
#[tokio::test]
async fn each_code_is_returned_and_nothing_else_happens() {
    let world = World::new().await;
    let (admin, app) = (&world.org.test_admin, &world.org.test_app_key);
    let new_app = json!({"name": "Shop", "test": true});
    let calls = [
        Call::get("/v1/organization/settings").key(admin),
        Call::post("/v1/organization/apps").key(admin).header("idempotency-key", "on-demand").json(&new_app),
        Call::post("/v1/media").key(app).header("idempotency-key", "x").file("a.png", Some("image/png"), PNG),
        Call::get("/v1/media/not-an-id").key(app),
        Call::delete("/v1/organization/apps/app_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv").key(admin),
        Call::post("/v1/chat/messages").key(app).header("content-type", "text/plain").bytes("no JSON"),
    ];
    let before = world.account.items().await;
    for code in ErrorCode::ALL {
        for call in &calls {
            let reply = world.send(call.clone().header(HEADER, code.as_str())).await;
            expect_error(reply, *code);
        }
    }
    assert_eq!(world.account.items().await, before);
    let created = world.send(calls[1].clone()).await;
    assert_eq!(created.header("idempotency-replayed"), None);
    // A stored response does not hide the error either.
    expect_error(world.send(calls[1].clone().header(HEADER, "call_busy")).await, ErrorCode::CallBusy);
    assert_eq!(text(&created.expect(201), "name"), "Shop");
}

/// Every operation that a test key can call has it, and it comes before everything but the credential.
#[tokio::test]
async fn every_operation_has_errors_on_demand() {
    let world = World::new().await;
    let cases = cases(&world).await;
    // Each function reads the limits of organizations with its first request.
    for case in cases.iter().filter(|case| case.method() == "GET") {
        world.send_without_worker(case.call.clone().key(case.right_key(&world.org))).await;
    }
    for case in cases {
        if matches!(case.policy, Policy::SignInLink | Policy::SignedIn) {
            // People sign in to what is live.
            let refused =
                world.send(case.call.clone().key(case.right_key(&world.org)).header(HEADER, "call_busy")).await;
            refused.refused(400, Some(HEADER), None);
            continue;
        }
        let key: &str = match case.policy {
            Policy::Admin | Policy::Member => &world.org.test_admin,
            Policy::App | Policy::AppInTestMode | Policy::TestApp | Policy::Tester => &world.org.test_app_key,
            Policy::Link | Policy::SignInLink | Policy::SignedIn => case.right_key(&world.org),
        };
        let call = || case.call.clone().header(HEADER, "account_restricted");
        // Twice: a process that knows the credential reads the object beside it, but not for an error.
        for _ in 0..2 {
            world.faults.calls();
            expect_error(world.send_without_worker(call().key(key)).await, ErrorCode::AccountRestricted);
            assert_eq!(world.faults.calls(), ["GetItem"], "{} {}", case.method(), case.template);
        }
        world.send(call()).await.unauthenticated("Missing Authorization header");
        let forged = case.forged_key(&world.org.id);
        world.send(call().key(&forged)).await.unauthenticated("Invalid API key");
        for wrong in case.wrong_kinds(&world.org) {
            world.send(call().key(wrong)).await.wrong_kind(wrong);
        }
    }
}

#[tokio::test]
async fn a_live_credential_and_an_unknown_code_are_refused() {
    let world = World::new().await;
    let settings = || Call::get("/v1/organization/settings");
    let apps = || Call::get("/v1/organization/apps");
    let media = || Call::get("/v1/media/not-an-id");
    for call in [settings().key(&world.org.admin), apps().key(&world.org.session), media().key(&world.org.app_key)] {
        for code in ["account_restricted", "nonsense"] {
            world.send(call.clone().header(HEADER, code)).await.refused(400, Some(HEADER), None);
        }
    }
    for code in ["", "Account_Restricted", "131031", "account_restricted, call_busy"] {
        for call in [settings().key(&world.org.test_admin), media().key(&world.org.test_app_key)] {
            let refused = world.send(call.header(HEADER, code)).await.refused(400, Some(HEADER), None);
            assert!(text(&refused["error"], "message").contains("GET /v1/errors"), "{refused}");
        }
    }
    // Operations without a credential ignore the header.
    world.send(Call::get("/v1/errors").header(HEADER, "call_busy")).await.expect(200);
}
