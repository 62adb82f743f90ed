//! The offer of a limited-time offer template.

use super::fields::Fields;
use super::shapes::Rules;
use crate::Failure;

pub const OFFER_TEXT_LENGTH: usize = 16;

/// Validates the component. The time at which the offer expires is a parameter of each message.
pub(super) fn check(component: &Fields<'_>, rules: Rules) -> Result<(), Failure> {
    rules.expect_marketing(component.at(), "a LIMITED_TIME_OFFER")?;
    component.expect_only(&["type", "limited_time_offer"])?;
    let param = component.param("limited_time_offer");
    let offer = component.object("limited_time_offer")?.ok_or_else(|| Failure::missing(&param))?;
    offer.expect_only(&["text", "has_expiration"])?;
    offer.plain_line("text", OFFER_TEXT_LENGTH)?;
    offer.flag("has_expiration").map(|_| ())
}
