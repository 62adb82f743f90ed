//! Chat, in test mode, which needs no platform.

mod accounts;
mod groups;
mod messages;
mod templates;

use super::Case;
use super::playground::received_message;
use crate::request::text;
use crate::world::Service;

pub(super) use self::accounts::number_of_test_app;
pub use self::accounts::{PROFILES, SIGNUP, fresh_account, number_that_came_later, simulated_profile, verified_number};

const NUMBERS: &str = "/v1/organization/chat/phone-numbers";

pub(super) async fn cases(service: &impl Service) -> Vec<Case> {
    let profile = text(&simulated_profile(service, &fresh_account(), false).await, "id");
    let (later, later_number) = number_that_came_later(service).await;
    let number = number_of_test_app(service).await;
    let message = received_message(service).await;
    let unregistered = accounts::registration(&later, &later_number);

    let cases = [
        accounts::cases(service, &profile, &number, &unregistered).await,
        accounts::life_of_a_number(service).await,
        templates::cases(&profile, &later),
        messages::cases(&number, &message),
        groups::cases(service, &number).await,
    ];
    cases.concat().into_iter().map(Case::in_test_mode).collect()
}
