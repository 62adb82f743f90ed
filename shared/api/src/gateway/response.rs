//! Prepares a response so that lambda_http converts it without loss.

use axum::response::Response;
use http::header::CONTENT_LENGTH;
use http::{HeaderName, HeaderValue};

/// Removes `Content-Length`, which the gateway sets, and joins the values of a repeated header into one list (RFC 9110,
/// section 5.3), because lambda_http would send only the first value. `Set-Cookie` must not be joined, but no response
/// sets more than one.
pub(super) fn for_gateway(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.remove(CONTENT_LENGTH);
    if headers.len() > headers.keys_len() {
        let is_repeated = |name: &&HeaderName| headers.get_all(*name).iter().nth(1).is_some();
        let repeated: Vec<HeaderName> = headers.keys().filter(is_repeated).cloned().collect();
        for name in repeated {
            let values: Vec<&[u8]> = headers.get_all(&name).iter().map(HeaderValue::as_bytes).collect();
            if let Ok(list) = HeaderValue::from_bytes(&values.join(&b", "[..])) {
                headers.insert(name, list);
            }
        }
    }
    response
}
