//! The one table from the carrier's exceptions and receipts to this API's errors (docs/error-codes.md). It defines the errors of
//! requests and those of messages that fail later.

use crate::ErrorCode;
use crate::ErrorCode::{
    CarrierApiError, MediaTooLarge, MessageUndeliverable, RateLimitExceeded, UnsupportedMessageType,
};

/// The meaning of one of the carrier's exceptions, reasons or results.
pub struct Entry {
    /// The exception, the reason of an exception, or the result in a receipt: the part of `eventType` after `TEXT_` or
    /// `MEDIA_`.
    pub name: &'static str,
    pub code: ErrorCode,
    /// The carrier's text, with which the simulated carrier reports it too.
    pub words: &'static str,
    /// This API's explanation.
    pub explanation: &'static str,
}

const fn entry(name: &'static str, code: ErrorCode, words: &'static str, explanation: &'static str) -> Entry {
    Entry { name, code, words, explanation }
}

/// The reasons of exceptions, and exceptions that have no reason. All others are rejections without a code of their own:
/// `carrier_api_error`, of the kind [`ErrorKind::Unprocessable`](crate::ErrorKind::Unprocessable).
pub const REFUSALS: &[Entry] = &[
    entry(
        "DESTINATION_PHONE_NUMBER_OPTED_OUT",
        MessageUndeliverable,
        "Destination phone number is opted out",
        "The recipient has opted out of messages from this organization.",
    ),
    entry(
        "MEDIA_TYPE_NOT_SUPPORTED",
        UnsupportedMessageType,
        "Media type is not supported",
        "The carrier does not accept media of this type.",
    ),
    entry(
        "MAXIMUM_SIZE_EXCEEDED",
        MediaTooLarge,
        "Maximum size exceeded",
        "The medium exceeds the carrier's size limit.",
    ),
    entry(
        "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT",
        CarrierApiError,
        "Monthly spend limit reached for text messages",
        "The installation's spending limit for SMS of this month is reached.",
    ),
    entry(
        "MONTHLY_SPEND_LIMIT_REACHED_FOR_MEDIA",
        CarrierApiError,
        "Monthly spend limit reached for media messages",
        "The installation's spending limit for MMS of this month is reached.",
    ),
    entry(
        "ACCOUNT_DISABLED",
        CarrierApiError,
        "Account is disabled",
        "The installation's account at the carrier is disabled.",
    ),
    entry(
        "INSUFFICIENT_ACCOUNT_REPUTATION",
        CarrierApiError,
        "Insufficient account reputation",
        "The reputation of the installation's account at the carrier is too low for this message.",
    ),
    entry(
        "PRICE_OVER_THRESHOLD",
        CarrierApiError,
        "Price of the message is over the maximum price",
        "The price per part exceeds the maximum that the installation pays.",
    ),
    entry(
        "DESTINATION_PHONE_NUMBER_NOT_VERIFIED",
        CarrierApiError,
        "Destination phone number is not verified",
        "The installation's account is in the carrier's sandbox, and the recipient is not one of its verified numbers.",
    ),
    entry(
        "DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION",
        CarrierApiError,
        "Destination country is blocked by the protect configuration",
        "The protect configuration of the installation's account blocks the recipient's country.",
    ),
    entry(
        "DESTINATION_COUNTRY_BLOCKED",
        CarrierApiError,
        "Destination country is blocked",
        "The carrier does not send to the recipient's country.",
    ),
    entry(
        "COUNTRY_NOT_ENABLED",
        CarrierApiError,
        "Country is not enabled",
        "Sending to the recipient's country is not enabled in the installation's account.",
    ),
    entry(
        "INVALID_IDENTITY_FOR_DESTINATION_COUNTRY",
        CarrierApiError,
        "Origination identity is invalid for the destination country",
        "The number cannot send to the recipient's country.",
    ),
    entry(
        "NUMBER_CAPABILITIES_MISMATCH",
        CarrierApiError,
        "Number capabilities do not match",
        "The number cannot send messages of this kind.",
    ),
    entry(
        "NO_ORIGINATION_IDENTITIES_FOUND",
        CarrierApiError,
        "No origination identities found",
        "The number no longer exists at the carrier.",
    ),
    entry("RESOURCE_NOT_ACTIVE", CarrierApiError, "Resource is not active", "The number is not active at the carrier."),
    entry(
        "MESSAGE_TYPE_MISMATCH",
        CarrierApiError,
        "Message type does not match",
        "The number is registered for another message type.",
    ),
    entry(
        "SENDER_ID_NOT_REGISTERED",
        CarrierApiError,
        "Sender ID is not registered",
        "The recipient's country requires a registered sender.",
    ),
    entry(
        "ThrottlingException",
        RateLimitExceeded,
        "Rate exceeded",
        "The number sent messages faster than the carrier accepts.",
    ),
];

/// The results in receipts of messages that were not delivered.
pub const RESULTS: &[Entry] = &[
    entry("INVALID", MessageUndeliverable, "Invalid phone number", "The recipient's phone number is not valid."),
    entry(
        "UNREACHABLE",
        MessageUndeliverable,
        "Phone is currently unreachable/unavailable",
        "The recipient's phone cannot be reached, for example because it is switched off.",
    ),
    entry(
        "CARRIER_UNREACHABLE",
        MessageUndeliverable,
        "Phone carrier is currently unreachable/unavailable",
        "The recipient's network cannot be reached.",
    ),
    entry(
        "BLOCKED",
        MessageUndeliverable,
        "Phone has blocked SMS",
        "The recipient's phone or network blocks messages.",
    ),
    entry(
        "CARRIER_BLOCKED",
        MessageUndeliverable,
        "Blocked by phone carrier",
        "The recipient's network has blocked the message.",
    ),
    entry(
        "SPAM",
        MessageUndeliverable,
        "Message was flagged as spam",
        "The recipient's network classified the message as spam, and blocked it.",
    ),
    entry(
        "TTL_EXPIRED",
        MessageUndeliverable,
        "Time to live of the message expired",
        "The message could not be delivered in time.",
    ),
    entry(
        "INVALID_MESSAGE",
        CarrierApiError,
        "Invalid message",
        "The content of the message is not valid for the recipient's network.",
    ),
    entry(
        "PROTECT_BLOCKED",
        CarrierApiError,
        "Blocked by protect configuration",
        "The protect configuration of the installation's account has blocked the message.",
    ),
    entry(
        "FILE_INACCESSIBLE",
        CarrierApiError,
        "Media file is not accessible",
        "The carrier could not read the medium.",
    ),
    entry(
        "FILE_TYPE_UNSUPPORTED",
        UnsupportedMessageType,
        "Media file type is not supported",
        "The recipient's network does not accept media of this type.",
    ),
    entry(
        "FILE_SIZE_EXCEEDED",
        MediaTooLarge,
        "Media file is too large",
        "The medium exceeds the size limit of the recipient's network.",
    ),
];

/// The words of results of messages that were not refused, and have not failed.
const PROGRESS: &[(&str, &str)] = &[
    ("SENT", "Message has been sent"),
    ("DELIVERED", "Message has been accepted by phone"),
    ("UNKNOWN", "The status of the message is unknown"),
];

/// The explanation of refusals that are not listed.
const OTHER: &str =
    "The carrier reported an error that has no code of its own here. Its own code and message are in `provider`.";

/// Returns this API's code for an exception of the carrier, by its reason; `None` if there is no specific one.
pub fn of_reason(reason: &str) -> Option<ErrorCode> {
    find(REFUSALS, reason).map(|entry| entry.code).filter(|code| *code != CarrierApiError)
}

/// Returns whether a message with this result has failed.
pub fn is_failure(result: &str) -> bool {
    find(RESULTS, result).is_some()
}

/// Returns the code of a message that failed with this result.
pub fn of_result(result: &str) -> ErrorCode {
    find(RESULTS, result).map_or(CarrierApiError, |entry| entry.code)
}

/// Returns the explanation that a message shows as its error if it failed with one of the carrier's codes. A code is a
/// result, an exception, or an exception with its reason after a colon.
pub fn explanation(code: &str) -> &'static str {
    let name = code.rsplit(": ").next().unwrap_or(code);
    find(RESULTS, name).or_else(|| find(REFUSALS, name)).map_or(OTHER, |entry| entry.explanation)
}

/// Returns the words with which the simulated carrier reports an exception, its reason, or a result.
pub fn words(name: &str) -> &'static str {
    let progress = PROGRESS.iter().find(|(known, _)| *known == name).map(|(_, words)| *words);
    let failed = || find(RESULTS, name).or_else(|| find(REFUSALS, name)).map(|entry| entry.words);
    progress.or_else(failed).unwrap_or("Rejected by the simulated carrier")
}

fn find(table: &'static [Entry], name: &str) -> Option<&'static Entry> {
    table.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn refusals_and_receipts_have_the_same_codes() {
        assert_eq!(of_reason("DESTINATION_PHONE_NUMBER_OPTED_OUT"), Some(MessageUndeliverable));
        assert_eq!(of_reason("MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT"), None);
        assert_eq!(of_result("TTL_EXPIRED"), MessageUndeliverable);
        let types = (of_reason("MEDIA_TYPE_NOT_SUPPORTED"), of_result("FILE_TYPE_UNSUPPORTED"));
        assert_eq!(types, (Some(UnsupportedMessageType), UnsupportedMessageType));
        assert_eq!((of_result("PROTECT_BLOCKED"), of_result("LATER")), (CarrierApiError, CarrierApiError));
        assert!(is_failure("SPAM") && !is_failure("DELIVERED"));
    }

    #[test]
    fn each_entry_has_a_name_and_an_explanation_of_its_own() {
        let all = || REFUSALS.iter().chain(RESULTS);
        let names: BTreeSet<&str> = all().map(|entry| entry.name).collect();
        let texts: BTreeSet<&str> = all().map(|entry| entry.explanation).chain([OTHER]).collect();
        let words: BTreeSet<&str> = all().map(|entry| entry.words).collect();
        assert_eq!((names.len(), texts.len(), words.len()), (all().count(), all().count() + 1, all().count()));
        assert_eq!(explanation("ConflictException: DESTINATION_PHONE_NUMBER_OPTED_OUT"), REFUSALS[0].explanation);
        assert_eq!(explanation("ValidationException"), OTHER);
    }
}
