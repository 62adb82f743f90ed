//! One valid request for every operation that takes a credential, for objects of the test organization.

mod apps;
mod case;
mod chat;
mod insight;
mod media;
mod onboarding_links;
mod organization;
mod own;
mod people;
mod playground;
mod sms;
mod webhooks;

use serde_json::Value;

use crate::request::{Call, text};
use crate::world::Service;

pub use self::case::{Case, Policy};
pub use self::chat::{PROFILES, SIGNUP, fresh_account, number_that_came_later, simulated_profile, verified_number};
pub use self::media::{download, put_bytes, uploaded};
pub use self::onboarding_links::{begun_onboarding, onboarding_link};
pub use self::people::{MEMBERS, SESSION, SESSION_KEY, SIGN_IN, member, session_of, sign_in_token, token_of};
pub use self::webhooks::HEADER_VALUE;

/// All cases, in an order in which each of them succeeds.
pub async fn cases(service: &impl Service) -> Vec<Case> {
    let system = playground::system_number(service).await;
    let organization = organization::cases(service).await;
    let apps = apps::cases(service).await;
    let (webhooks, recovery) = webhooks::cases(service).await;
    let media = media::cases(service).await;

    let chat = chat::cases(service).await;
    let links = onboarding_links::cases(service).await;
    let people = people::cases(service).await;
    let sms = sms::cases(service, &system).await;
    let insight = insight::cases(service, &system).await;
    let own = own::cases(service, &recovery).await;
    // Last, because the sync of the chat cases runs the worker, which would carry out the simulation.
    let playground = playground::cases(service, &system).await;

    let calling = apps::calling_cases(service);
    // At the end, because it may delete the caller's own key.
    let last = vec![organization::deletion_of_an_admin_key(service).await];
    [organization, people, apps, webhooks, calling, media, playground, chat, links, sms, insight, own, last].concat()
}

/// Creates an object with the admin key, and returns its id.
async fn created(service: &impl Service, path: &str, body: &Value) -> String {
    text(&service.admin(Call::post(path).json(body)).await.expect(201), "id")
}
