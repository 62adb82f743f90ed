//! The stored form of failures: JSON text, for requests that wait for the failed work, and for repeated requests.

use domain::error::failure::Shown;
use domain::error::provider::Provider;
use domain::{ErrorCode, ErrorKind, ErrorType, Failure};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FailureText {
    /// The number of the kind of failure. Items of all releases contain these numbers, so they never change.
    status: u16,
    #[serde(rename = "kind")]
    error_type: ErrorType,
    code: Option<ErrorCode>,
    message: String,
    param: Option<String>,
    retry_after: Option<u32>,
    provider: Option<Provider>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    additional_info: Vec<String>,
}

/// Returns the stored form of a failure: the parts that are shown to the caller.
pub fn failure_to_text(failure: &Failure) -> Result<String, Failure> {
    let Shown { kind, error_type, code, message, param, retry_after, provider, additional_info } =
        failure.shown().clone();
    let status = number(kind);
    let text = FailureText { status, error_type, code, message, param, retry_after, provider, additional_info };
    serde_json::to_string(&text).map_err(Failure::internal)
}

/// Returns the failure with this stored form.
pub fn failure_from_text(text: &str) -> Result<Failure, Failure> {
    let FailureText { status, error_type, code, message, param, retry_after, provider, additional_info } =
        serde_json::from_str(text).map_err(Failure::internal)?;
    let kind = kind(status).ok_or_else(|| Failure::internal("a stored failure has no known kind"))?;
    Ok(Shown { kind, error_type, code, message, param, retry_after, provider, additional_info }.into())
}

fn number(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::InvalidRequest => 400,
        ErrorKind::Unauthenticated => 401,
        ErrorKind::Forbidden => 403,
        ErrorKind::NotFound => 404,
        ErrorKind::MethodNotAllowed => 405,
        ErrorKind::Conflict => 409,
        ErrorKind::Gone => 410,
        ErrorKind::TooLarge => 413,
        ErrorKind::UnsupportedMediaType => 415,
        ErrorKind::Unprocessable => 422,
        ErrorKind::TooManyRequests => 429,
        ErrorKind::Internal => 500,
        ErrorKind::BadGateway => 502,
        ErrorKind::Unavailable => 503,
        ErrorKind::GatewayTimeout => 504,
    }
}

fn kind(number: u16) -> Option<ErrorKind> {
    Some(match number {
        400 => ErrorKind::InvalidRequest,
        401 => ErrorKind::Unauthenticated,
        403 => ErrorKind::Forbidden,
        404 => ErrorKind::NotFound,
        405 => ErrorKind::MethodNotAllowed,
        409 => ErrorKind::Conflict,
        410 => ErrorKind::Gone,
        413 => ErrorKind::TooLarge,
        415 => ErrorKind::UnsupportedMediaType,
        422 => ErrorKind::Unprocessable,
        429 => ErrorKind::TooManyRequests,
        500 => ErrorKind::Internal,
        502 => ErrorKind::BadGateway,
        503 => ErrorKind::Unavailable,
        504 => ErrorKind::GatewayTimeout,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_kind_has_one_number() {
        let kinds: Vec<ErrorKind> = (0..1000).filter_map(kind).collect();
        assert_eq!(kinds.iter().copied().collect::<HashSet<_>>().len(), kinds.len());
        assert!((0..1000).all(|own| kind(own).is_none_or(|kind| number(kind) == own)));
    }

    #[test]
    fn a_failure_is_read_as_it_was_stored() {
        let text = concat!(
            r#"{"status":422,"kind":"provider_error","code":"platform_api_error","message":"m","param":"p","#,
            r#""retryAfter":1,"additionalInfo":["a"]}"#
        );
        let failure = failure_from_text(text).expect("a failure");
        assert_eq!((failure.kind(), failure.error_type()), (ErrorKind::Unprocessable, ErrorType::ProviderError));
        assert_eq!(failure_to_text(&failure).expect("text"), text);

        let own = r#"{"status":409,"kind":"invalid_request_error","message":"The group is not active."}"#;
        assert_eq!(failure_to_text(&Failure::conflict("The group is not active.")).expect("text"), own);
        assert!(failure_from_text(&own.replace("409", "418")).is_err());
    }
}
