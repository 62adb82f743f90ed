//! Apps, their keys, their event feed and their settings for calls.

use serde_json::json;

use super::Policy::{Admin, AppInTestMode, Member};
use super::{Case, created};
use crate::request::{Call, text};
use crate::world::Service;

const APPS: &str = "/v1/organization/apps";
const APP: &str = "/v1/organization/apps/{appId}";
const EVENTS: &str = "/v1/organization/apps/{appId}/events";
const KEYS: &str = "/v1/organization/apps/{appId}/keys";
const KEY: &str = "/v1/organization/apps/{appId}/keys/{keyId}";
const ROTATE_KEY: &str = "/v1/organization/apps/{appId}/keys/{keyId}/rotate";
const CALLING: &str = "/v1/organization/apps/{appId}/calling";

pub(super) async fn cases(service: &impl Service) -> Vec<Case> {
    let org = service.org();
    let app = &org.app;
    let key = text(&service.admin(Call::post(format!("{APPS}/{app}/keys"))).await.expect(201), "id");
    let doomed = created(service, APPS, &json!({"name": "Doomed"})).await;

    vec![
        Case::get(Member, APPS, &[]),
        Case::post(Admin, APPS, &[]).json(&json!({"name": "Third"})).created(),
        Case::get(Member, APP, &[app]),
        Case::patch(Admin, APP, &[app]).json(&json!({"name": "Renamed"})),
        Case::get(Admin, EVENTS, &[&org.test_app]).query("after=oldest").in_test_mode(),
        Case::get(AppInTestMode, "/v1/events", &[]).query("after=oldest"),
        Case::delete(Admin, APP, &[&doomed]),
        Case::get(Member, KEYS, &[app]),
        Case::post(Admin, KEYS, &[app]).created(),
        Case::patch(Admin, KEY, &[app, &key]).json(&json!({"name": "Renamed", "allowedIps": null})),
        Case::post(Admin, ROTATE_KEY, &[app, &key]).json(&json!({"gracePeriodSeconds": 3600})),
        Case::delete(Admin, KEY, &[app, &key]),
    ]
}

pub(super) fn calling_cases(service: &impl Service) -> Vec<Case> {
    let app = &service.org().app;
    let settings = json!({"voicemailEnabled": true});
    vec![Case::put(Admin, CALLING, &[app]).json(&settings), Case::get(Admin, CALLING, &[app])]
}
