//! Settings, admin keys and phone numbers of the organization.

use serde_json::json;

use super::Policy::{Admin, Member};
use super::{Case, created};
use crate::world::Service;

const SETTINGS: &str = "/v1/organization/settings";
const RATE_CARD: &str = "/v1/organization/rate-card";
const ADMIN_KEYS: &str = "/v1/organization/admin-keys";
pub(super) const NUMBERS: &str = "/v1/organization/phone-numbers";
const NUMBER: &str = "/v1/organization/phone-numbers/{phoneNumberId}";
const NUMBER_OF_APP: &str = "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}";

pub(super) async fn cases(service: &impl Service) -> Vec<Case> {
    let app = &service.org().app;
    let number = created(service, NUMBERS, &json!({"number": "+12015550100"})).await;
    let assigned = json!({"number": "+12015550101", "appIds": [app]});

    let rotated = created(service, ADMIN_KEYS, &json!({"name": "rotated"})).await;

    let price = json!({"country": "DE", "category": "marketing", "amount": "0.1131"});
    let rate_card = json!({"currency": "EUR", "prices": [price]});
    let changed = json!({"name": "Renamed", "allowedIps": null});

    vec![
        Case::patch(Admin, "/v1/organization/admin-keys/{id}", &[&rotated]).json(&changed),
        Case::post(Admin, "/v1/organization/admin-keys/{id}/rotate", &[&rotated])
            .json(&json!({"gracePeriodSeconds": 3600})),
        Case::get(Admin, SETTINGS, &[]),
        Case::patch(Admin, SETTINGS, &[]).json(&json!({"name": "Acme 2"})),
        Case::get(Admin, RATE_CARD, &[]),
        Case::put(Admin, RATE_CARD, &[]).json(&rate_card),
        Case::get(Member, ADMIN_KEYS, &[]),
        Case::get(Member, "/v1/organization/audit-log", &[]),
        Case::post(Admin, ADMIN_KEYS, &[]).json(&json!({"name": "another"})).created(),
        Case::get(Member, NUMBERS, &[]),
        Case::post(Admin, NUMBERS, &[]).json(&assigned).created().naming_an_object(),
        Case::get(Member, NUMBER, &[&number]),
        Case::put(Admin, NUMBER_OF_APP, &[app, &number]),
        Case::delete(Admin, NUMBER_OF_APP, &[app, &number]),
        Case::delete(Admin, NUMBER, &[&number]),
    ]
}

pub(super) async fn deletion_of_an_admin_key(service: &impl Service) -> Case {
    let key = created(service, ADMIN_KEYS, &json!({"name": "k"})).await;
    Case::delete(Admin, "/v1/organization/admin-keys/{id}", &[&key])
}
