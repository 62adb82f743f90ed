//! What a message counts for in the usage of its organization.

use domain::id::{Identifier as _, OrganizationId};
use domain::message::{Direction, Outcome};
use domain::number::country::Country;
use domain::sms::Price;
use domain::usage::{Decimal, Group, Tally, UsageKind};
use domain::{E164, Failure, Open};

use super::kind::{MessageKind, Related};
use super::stored::MainItem;
use crate::engine::item::{Item, entity};
use crate::usage::Counted;

/// What a message says for its usage, beside what messages of both kinds say in the same way.
#[derive(Debug, Default)]
pub struct Facts {
    /// `chat`, `sms` or `mms`.
    pub channel: &'static str,
    /// Whether the message belongs to a history that was imported, so that it does not count.
    pub is_history: bool,
    pub contact: Option<E164>,
    /// The provider's pricing category.
    pub category: Option<String>,
    pub is_billable: bool,
    pub parts: Option<u32>,
    pub price: Option<Price>,
    pub is_sent: bool,
    pub is_delivered: bool,
    pub is_read: bool,
}

/// Returns what the main item of a message counts for; `None` if it does not count.
pub(crate) fn counted<M: MessageKind>(organization: OrganizationId, main: Item) -> Result<Option<Counted>, Failure> {
    let main: MainItem<M::Attributes> = entity(main)?;
    let facts = M::facts(&main.attributes);
    if !main.metered || facts.is_history {
        return Ok(None);
    }
    let message = M::from_parts(main.attributes, Related::new())?;

    let is_outbound = message.direction() == Direction::Outbound;
    let direction = if is_outbound { "OUTBOUND" } else { "INBOUND" };
    let country = facts.contact.as_ref().and_then(Country::of);
    let number = message.number();
    let code = message.failed_at().and(message.error_code());
    let group = Group::of(&[
        message.app().map(|app| app.as_str()),
        Some(number.as_str()),
        Some(facts.channel),
        Some(direction),
        facts.category.as_deref(),
        country.as_ref().map(Country::as_str),
        code,
    ]);
    let mode = number.mode();
    let tally = tally(message.outcome(), message.failed_at().is_some(), is_outbound, &facts);
    Ok(Some(Counted { organization, mode, kind: UsageKind::Messages, at: message.created_at(), group, tally }))
}

fn tally(outcome: Option<Outcome>, has_failed: bool, is_outbound: bool, facts: &Facts) -> Tally {
    let mut tally = Tally::default();
    tally.count("messages");
    if let Some(outcome) = outcome {
        tally.count(match outcome {
            Outcome::Pending => "pending",
            Outcome::Accepted => "accepted",
            Outcome::Unknown => "unknown",
            Outcome::Refused => "refused",
            Outcome::Expired => "expired",
        });
    }
    let was_not_sent = matches!(outcome, Some(Outcome::Refused | Outcome::Expired));
    for (name, is_so) in [
        ("sent", is_outbound && facts.is_sent),
        ("delivered", is_outbound && facts.is_delivered),
        ("read", facts.is_read),
        ("failed", has_failed && !was_not_sent),
        ("billable", facts.is_billable),
    ] {
        if is_so {
            tally.count(name);
        }
    }
    if let Some(parts) = facts.parts {
        tally.add("parts", Decimal::from(parts));
    }
    if let Some(price) = &facts.price
        && let Ok(amount) = price.amount.parse()
    {
        tally.pay(&price.currency, amount);
    }
    tally
}

/// Returns the name of a channel that depends on the type of an SMS message.
pub(crate) fn sms_channel(kind: &Open<domain::sms::SmsType>) -> &'static str {
    match kind.known() {
        Some(domain::sms::SmsType::Mms) => "mms",
        Some(domain::sms::SmsType::Sms) | None => "sms",
    }
}
