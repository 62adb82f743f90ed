//! The one table from the carrier's exceptions and receipts to this API's errors (docs/specification.md, "Error codes").
//! It defines the errors of requests and those of messages that fail later.

use crate::ErrorCode;

/// The reasons of the carrier's exceptions that have a code of their own. All others are rejections without one:
/// `carrier_api_error` with status 422.
pub const REASONS: &[(&[&str], ErrorCode)] = &[
    (&["DESTINATION_PHONE_NUMBER_OPTED_OUT"], ErrorCode::MessageUndeliverable),
    (&["MEDIA_TYPE_NOT_SUPPORTED"], ErrorCode::UnsupportedMessageType),
    (&["MAXIMUM_SIZE_EXCEEDED"], ErrorCode::MediaTooLarge),
];

/// The results in receipts that have a code of their own: the part of `eventType` after `TEXT_` or `MEDIA_`.
pub const RESULTS: &[(&[&str], ErrorCode)] = &[
    (
        &["INVALID", "UNREACHABLE", "CARRIER_UNREACHABLE", "BLOCKED", "CARRIER_BLOCKED", "SPAM", "TTL_EXPIRED"],
        ErrorCode::MessageUndeliverable,
    ),
    (&["FILE_TYPE_UNSUPPORTED"], ErrorCode::UnsupportedMessageType),
    (&["FILE_SIZE_EXCEEDED"], ErrorCode::MediaTooLarge),
];

/// Returns the code that an exception of the carrier becomes, by its reason; `None` if it has none of its own.
pub fn of_reason(reason: &str) -> Option<ErrorCode> {
    find(REASONS, reason)
}

/// Returns the code of a message that failed with this result. Results without a code of their own, such as
/// `INVALID_MESSAGE`, `PROTECT_BLOCKED` and `FILE_INACCESSIBLE`, are `carrier_api_error`.
pub fn of_result(result: &str) -> ErrorCode {
    find(RESULTS, result).unwrap_or(ErrorCode::CarrierApiError)
}

fn find(table: &[(&[&str], ErrorCode)], name: &str) -> Option<ErrorCode> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_and_receipts_have_the_same_codes() {
        assert_eq!(of_reason("DESTINATION_PHONE_NUMBER_OPTED_OUT"), Some(ErrorCode::MessageUndeliverable));
        assert_eq!(of_reason("MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT"), None);
        assert_eq!(of_result("TTL_EXPIRED"), ErrorCode::MessageUndeliverable);
        assert_eq!((of_reason("MEDIA_TYPE_NOT_SUPPORTED"), of_result("FILE_TYPE_UNSUPPORTED")), {
            let code = ErrorCode::UnsupportedMessageType;
            (Some(code), code)
        });
        assert_eq!(of_result("PROTECT_BLOCKED"), ErrorCode::CarrierApiError);
    }
}
