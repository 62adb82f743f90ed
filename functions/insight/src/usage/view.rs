use domain::Timestamp;
use domain::id::{AppId, WebhookId};
use domain::usage::{Decimal, Dimension, Period};
use serde::Serialize;
use serde_with::skip_serializing_none;
use store::Gap;
use utoipa::ToSchema;

use super::rows::{Row, RowKey};

/// A page of usage.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UsagePage {
    /// The rows, the earliest period first.
    #[schema(max_items = 400)]
    pub(super) data: Vec<UsageRow>,
    /// The cursor of the next page; `null` on the last page only. A page can have fewer rows than `limit` although more follow.
    #[schema(required)]
    pub(super) next_cursor: Option<String>,
    /// What happened before this time is counted, mostly all but the last three minutes; `null` if nothing was counted yet.
    #[schema(required)]
    pub(super) counted_until: Option<Timestamp>,
    /// Times in which the table was restored to an earlier state: what happened then may not be counted.
    #[schema(max_items = 100)]
    pub(super) gaps: Vec<UsageGap>,
}

/// A time whose messages and statuses may not be counted.
#[derive(Serialize, ToSchema)]
pub(crate) struct UsageGap {
    /// The beginning.
    since: Timestamp,
    /// The end.
    until: Timestamp,
}

/// The numbers of a period and a group. A message counts in the hour and the day in which it was stored, whatever comes later.
#[skip_serializing_none]
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UsageRow {
    /// The beginning of the period.
    #[schema(required)]
    period: Option<Timestamp>,
    /// The app, if grouped by `app`: the `appId` of the messages. Omitted for messages that have none.
    #[schema(value_type = Option<AppId>)]
    app: Option<String>,
    /// The id of the number, of either kind, if grouped by `number`.
    #[schema(pattern = "^(ph|wapn)_(test_)?[a-zA-Z0-9]{27}$")]
    number: Option<String>,
    /// If grouped by `channel`: `chat`, `sms` or `mms`.
    channel: Option<String>,
    /// If grouped by `direction`: `INBOUND` or `OUTBOUND`.
    direction: Option<String>,
    /// WhatsApp's pricing category, if grouped by `category`. Omitted for messages without one.
    category: Option<String>,
    /// The country of the contact's phone number (ISO 3166-1), if grouped by `country`. Omitted if it is not known.
    country: Option<String>,
    /// The error code, if grouped by `code`. Omitted for messages that have not failed.
    code: Option<String>,
    /// The webhook, if deliveries are grouped by `webhook`.
    #[schema(value_type = Option<WebhookId>)]
    webhook: Option<String>,
    /// The name of the event, if deliveries are grouped by `event`.
    event: Option<String>,
    /// All messages. Of those that were sent through this API, each counts as exactly one of `pending`, `accepted`, `refused`,
    /// `unknown` and `expired`. With `kind=deliveries`, all these are omitted, and so are `sent`, `delivered` and `read`.
    messages: Option<i64>,
    /// Messages that wait to be sent, or are being sent.
    pending: Option<i64>,
    /// Messages that the provider has accepted.
    accepted: Option<i64>,
    /// Messages that were not sent.
    refused: Option<i64>,
    /// Messages of which it is not known whether the provider has accepted them.
    unknown: Option<i64>,
    /// Messages whose time in the queue ran out.
    expired: Option<i64>,
    /// Outbound messages that were sent, by the provider's statuses. A message that was read counts as `sent`, `delivered` and `read`.
    sent: Option<i64>,
    /// Messages that were delivered.
    delivered: Option<i64>,
    /// Messages that were read.
    read: Option<i64>,
    /// Messages that the provider accepted and could not deliver, to at least one recipient; or deliveries that are not attempted
    /// again.
    failed: Option<i64>,
    /// Parts of SMS messages. Omitted if there are none.
    parts: Option<i64>,
    /// Chat messages that WhatsApp reports as billable. Omitted if there are none.
    billable: Option<i64>,
    /// Billable chat messages for which the rate card has no price, so that they are missing in `price`. Omitted if there are
    /// none.
    unpriced: Option<i64>,
    /// What the messages cost: SMS by the carrier's receipts, chat messages by the rate card. Omitted if nothing is known, and if
    /// several currencies meet: group by `channel` then.
    price: Option<UsagePrice>,
    /// Deliveries of events to webhooks. With `kind=messages`, it is omitted, and so are `succeeded`, `skipped`, `attempts` and
    /// `durations`.
    deliveries: Option<i64>,
    /// Deliveries that the receiver has accepted.
    succeeded: Option<i64>,
    /// Deliveries that were not attempted, because the webhook was disabled or deleted.
    skipped: Option<i64>,
    /// Attempts to deliver.
    attempts: Option<i64>,
    /// How long attempts took.
    #[schema(max_items = 9)]
    durations: Option<Vec<UsageDuration>>,
}

/// An amount of money.
#[derive(Serialize, ToSchema)]
struct UsagePrice {
    /// The amount, as a decimal number.
    #[schema(example = "0.849")]
    amount: String,
    /// The ISO 4217 code of the currency.
    #[schema(example = "USD")]
    currency: String,
    /// Whether it contains prices of the rate card.
    estimated: bool,
}

/// How many attempts took at most a time, and longer than that of the entry before.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UsageDuration {
    /// In milliseconds; `null` for all longer ones.
    #[schema(required)]
    up_to_ms: Option<u64>,
    /// How many attempts took that long.
    attempts: i64,
}

impl From<Gap> for UsageGap {
    fn from(gap: Gap) -> Self {
        UsageGap { since: gap.since, until: gap.until }
    }
}

impl UsageRow {
    /// Returns a row of messages. `currency` is that of the rate card.
    pub(super) fn of_messages(row: &Row, currency: Option<&str>) -> Self {
        let number = |name| whole(row.tally.get(name));
        let present = |number: i64| Some(number).filter(|number| *number != 0);
        UsageRow {
            messages: Some(number("messages")),
            pending: Some(number("pending")),
            accepted: Some(number("accepted")),
            refused: Some(number("refused")),
            unknown: Some(number("unknown")),
            expired: Some(number("expired")),
            sent: Some(number("sent")),
            delivered: Some(number("delivered")),
            read: Some(number("read")),
            failed: Some(number("failed")),
            parts: present(number("parts")),
            billable: present(number("billable")),
            unpriced: present(whole(row.unpriced)),
            price: price(row, currency),
            ..UsageRow::default()
        }
    }

    pub(super) fn of_deliveries(row: &Row) -> Self {
        let number = |name| whole(row.tally.get(name));
        let duration =
            |(up_to_ms, name): (Option<u64>, &'static str)| UsageDuration { up_to_ms, attempts: number(name) };
        UsageRow {
            deliveries: Some(number("deliveries")),
            succeeded: Some(number("succeeded")),
            failed: Some(number("failed")),
            skipped: Some(number("skipped")),
            attempts: Some(number("attempts")),
            durations: Some(store::durations().map(duration).collect()),
            ..UsageRow::default()
        }
    }

    /// Adds the period and the values of what is grouped by.
    pub(super) fn named(mut self, key: &RowKey, period: Period, group_by: &[Dimension]) -> Self {
        self.period = period.named(&key.period);
        for (dimension, value) in group_by.iter().zip(&key.values) {
            *self.value_of(*dimension) = Some(value.clone()).filter(|value| !value.is_empty());
        }
        self
    }

    fn value_of(&mut self, dimension: Dimension) -> &mut Option<String> {
        match dimension {
            Dimension::App => &mut self.app,
            Dimension::Number => &mut self.number,
            Dimension::Channel => &mut self.channel,
            Dimension::Direction => &mut self.direction,
            Dimension::Category => &mut self.category,
            Dimension::Country => &mut self.country,
            Dimension::Code => &mut self.code,
            Dimension::Webhook => &mut self.webhook,
            Dimension::Event => &mut self.event,
        }
    }
}

/// Returns what a row costs; `None` if that is unknown, or in several currencies. `currency` is that of the rate card.
fn price(row: &Row, currency: Option<&str>) -> Option<UsagePrice> {
    let mut amounts: Vec<(&str, Decimal)> = row.tally.prices().collect();
    if let (Some(estimated), Some(currency)) = (row.estimated, currency) {
        match amounts.iter_mut().find(|(known, _)| *known == currency) {
            Some((_, amount)) => *amount += estimated,
            None => amounts.push((currency, estimated)),
        }
    }
    let [(currency, amount)] = amounts.as_slice() else { return None };
    let amount = amount.normalize().to_string();
    Some(UsagePrice { amount, currency: (*currency).to_owned(), estimated: row.estimated.is_some() })
}

fn whole(number: Decimal) -> i64 {
    number.try_into().unwrap_or_default()
}
