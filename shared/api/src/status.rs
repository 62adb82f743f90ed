//! The HTTP status of each kind of failure. No other place assigns one.

use domain::ErrorKind;
use http::StatusCode;

/// Returns the status of the responses to failures of this kind.
pub fn of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::InvalidRequest => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Gone => StatusCode::GONE,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::BadGateway => StatusCode::BAD_GATEWAY,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::GatewayTimeout => StatusCode::GATEWAY_TIMEOUT,
    }
}

#[cfg(test)]
mod tests {
    use domain::ErrorCode;

    use super::*;

    /// The status that a code's name implies, usually by its ending. Outcomes of calls and rejections by the platform
    /// are 422.
    fn status_by_name(code: &str) -> u16 {
        const FAMILIES: &[(&str, u16)] = &[
            ("_not_found", 404),
            ("_not_configured", 404),
            ("_disabled", 403),
            ("_required", 403),
            ("_forbidden", 403),
            ("_not_enabled", 403),
            ("_not_assigned", 403),
            ("_already_exists", 409),
            ("_already_ended", 409),
            ("_already_in_progress", 409),
            ("max_concurrent_calls_reached", 409),
            ("command_not_applicable", 409),
            ("_too_large", 413),
            ("_limit", 429),
            ("_rate_limited", 429),
            ("rate_limit_exceeded", 429),
            ("_api_error", 502),
            ("rtc_room_error", 502),
            ("sip_trunk_error", 502),
            ("_api_unavailable", 503),
            ("call_timeout", 504),
            ("unsupported_message_type", 400),
            ("invalid_phone_number", 400),
            ("invalid_call_command", 400),
        ];
        FAMILIES.iter().find(|(end, _)| code.ends_with(end)).map_or(422, |(_, status)| *status)
    }

    #[test]
    fn the_status_follows_from_the_name() {
        for entry in ErrorCode::ALL.iter().map(|code| code.entry()) {
            assert_eq!(of(entry.kind).as_u16(), status_by_name(entry.code), "{}", entry.code);
        }
    }
}
