//! Phone numbers that the carrier's stand-in sends from.

use serde_json::json;

use crate::request::text;
use crate::{Call, Service as _, World};

/// The account buys a number, and the operator links it for the world's organization, which assigns it to its live app.
/// Returns its id.
pub async fn linked_number(world: &World, number: &str) -> String {
    let org = &world.org;
    world.carrier_account.buy(number, "US", &["SMS", "MMS"]);
    let link = json!({"operation": "linkPhoneNumber", "organizationId": org.id, "number": number});
    let id = text(&world.operate(link).await.unwrap(), "phoneNumberId");
    world.admin(Call::put(format!("/v1/organization/apps/{}/phone-numbers/{id}", org.app))).await.expect(200);
    id
}
