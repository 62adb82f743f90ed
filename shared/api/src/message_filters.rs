//! The query parameters of the message lists.

use domain::chat::outgoing::{CLIENT_REFERENCE_LENGTH, USER_ID_LENGTH};
use domain::message::status::MessageStatus;
use domain::message::{Direction, Outcome};
use domain::{E164, Failure, Timestamp, text};
use store::MessageFilter;
use utoipa::IntoParams;

use crate::filter_values::{one_of, period, time};
use crate::list::{Filter, Filters, SentFilters};

/// The filters of a number's messages.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MessageFilters {
    /// Only messages exchanged with this contact: a phone number in E.164 format, or a WhatsApp user id. A message that
    /// has both is found by either. Messages of groups belong to no contact.
    contact: Option<String>,
    /// Only messages in this direction.
    direction: Option<Direction>,
    /// Only messages with this outcome. Only messages that were sent through this API have one.
    outcome: Option<Outcome>,
    /// Only messages with this status: of several recipients, the one whom it has reached most.
    status: Option<MessageStatus>,
    /// Only messages sent with this `clientReference`.
    #[param(rename = "clientReference", max_length = 255)]
    client_reference: Option<String>,
    /// Only messages stored at this time or later.
    since: Option<Timestamp>,
    /// Only messages stored before this time.
    until: Option<Timestamp>,
    /// Identifies the filters in cursors.
    #[param(ignore)]
    digest: Option<String>,
}

impl MessageFilters {
    fn parse(sent: &SentFilters, number: &str) -> Result<Self, Failure> {
        let filters = MessageFilters {
            contact: sent.get("contact", contact)?,
            direction: sent.get("direction", |text, name| one_of(text, name, "INBOUND or OUTBOUND"))?,
            outcome: sent
                .get("outcome", |text, name| one_of(text, name, "PENDING, ACCEPTED, UNKNOWN, REFUSED or EXPIRED"))?,
            status: sent
                .get("status", |text, name| one_of(text, name, "RECEIVED, QUEUED, SENT, DELIVERED, READ or FAILED"))?,
            client_reference: sent.get("clientReference", reference)?,
            since: sent.get("since", time)?,
            until: sent.get("until", time)?,
            digest: sent.digest(number),
        };
        period(filters.since, filters.until)?;
        Ok(filters)
    }

    /// Returns the name of the list with its filters, which its cursors contain.
    pub fn name(&self, list: &str) -> String {
        match &self.digest {
            Some(digest) => format!("{list}/{digest}"),
            None => list.to_owned(),
        }
    }

    /// Returns the filter of the store. `since` is the earliest time that the caller may see.
    pub fn from(&self, since: Option<Timestamp>) -> MessageFilter {
        MessageFilter {
            contact: self.contact.clone(),
            direction: self.direction,
            outcome: self.outcome,
            status: self.status,
            client_reference: self.client_reference.clone(),
            since: self.since.max(since),
            until: self.until,
        }
    }
}

/// Parses a phone number or a user id. In a query, a `+` that is not encoded arrives as a space; no user id consists of
/// digits only.
fn contact(sent: &str, name: &str) -> Result<String, Failure> {
    let bare = sent.trim().trim_start_matches('+');
    if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return E164::in_field(&format!("+{bare}"), name).map(|number| number.to_string());
    }
    text::bounded(sent, name, USER_ID_LENGTH)
}

fn reference(sent: &str, name: &str) -> Result<String, Failure> {
    let length = sent.chars().count();
    if (1..=CLIENT_REFERENCE_LENGTH).contains(&length) {
        return Ok(sent.to_owned());
    }
    Err(Failure::invalid(name, format!("{name} must have 1 to {CLIENT_REFERENCE_LENGTH} characters.")))
}

/// The query parameters of the list for callers of the organization: the number is required.
#[derive(Debug)]
pub struct OfNumber<N> {
    pub number: N,
    pub filters: MessageFilters,
}

impl<N: Filter> Filters for OfNumber<N> {
    const NAMES: &'static [&'static str] =
        &[N::NAME, "contact", "direction", "outcome", "status", "clientReference", "since", "until"];
    const REQUIRED: &'static [&'static str] = &[N::NAME];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let number = sent.get(N::NAME, |text, _| <N as Filter>::parse(text))?;
        let number = number.ok_or_else(|| Failure::missing(N::NAME))?;
        Ok(OfNumber { number, filters: MessageFilters::parse(sent, N::NAME)? })
    }
}

/// The query parameters of the list for app keys. The number can be omitted if the app has only one.
#[derive(Debug)]
pub struct OfApp<N> {
    pub number: Option<N>,
    pub filters: MessageFilters,
}

impl<N: Filter> Filters for OfApp<N> {
    const NAMES: &'static [&'static str] = OfNumber::<N>::NAMES;

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let number = sent.get(N::NAME, |text, _| <N as Filter>::parse(text))?;
        Ok(OfApp { number, filters: MessageFilters::parse(sent, N::NAME)? })
    }
}
