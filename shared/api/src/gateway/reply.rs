//! From an answer to the gateway's reply.

use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body_util::BodyExt as _;
use serde::{Serialize, Serializer};

/// A reply of payload format 2.0.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayReply {
    status_code: u16,
    #[serde(serialize_with = "header_lines")]
    headers: HeaderMap,
    body: String,
    is_base64_encoded: bool,
}

impl GatewayReply {
    pub async fn of(response: Response) -> Result<Self, axum::Error> {
        let (mut parts, body) = response.into_parts();
        // The gateway says it.
        parts.headers.remove(CONTENT_LENGTH);
        let bytes = body.collect().await?.to_bytes();
        // Whatever is text travels as it is; the client gets the same bytes either way.
        let (body, is_base64_encoded) = match String::from_utf8(bytes.into()) {
            Ok(text) => (text, false),
            Err(binary) => (STANDARD.encode(binary.as_bytes()), true),
        };
        Ok(GatewayReply { status_code: parts.status.as_u16(), headers: parts.headers, body, is_base64_encoded })
    }
}

/// The format has one line for each name; several values are one list (RFC 9110, section 5.3). Cookies, which are no list, nobody sets.
fn header_lines<S: Serializer>(headers: &HeaderMap, serializer: S) -> Result<S::Ok, S::Error> {
    let values = |name| headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    serializer.collect_map(headers.keys().map(|name| (name.as_str(), values(name).collect::<Vec<_>>().join(", "))))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http::HeaderValue;
    use serde_json::json;

    use super::*;

    async fn reply(body: impl Into<Body>, headers: &[(&'static str, &'static str)]) -> serde_json::Value {
        let mut response = Response::new(body.into());
        for (name, value) in headers {
            response.headers_mut().append(*name, HeaderValue::from_static(value));
        }
        let reply = GatewayReply::of(response).await.expect("a reply");
        serde_json::to_value(reply).expect("JSON")
    }

    #[tokio::test]
    async fn text_travels_as_it_is_and_anything_else_encoded() {
        let text = json!({"statusCode": 200, "headers": {}, "body": "é\"\u{0}", "isBase64Encoded": false});
        assert_eq!(reply("é\"\u{0}", &[]).await, text);
        let binary = json!({"statusCode": 200, "headers": {}, "body": "/w==", "isBase64Encoded": true});
        assert_eq!(reply(vec![0xff], &[]).await, binary);
        assert_eq!(reply(vec![0x1f, 0x8b, 0x08], &[]).await["isBase64Encoded"], true, "gzip is no text");
    }

    #[tokio::test]
    async fn values_of_one_name_are_a_list() {
        let reply =
            reply("", &[("vary", "accept"), ("vary", "origin"), ("link", "<a>"), ("content-length", "3")]).await;
        assert_eq!(reply["headers"], json!({"vary": "accept, origin", "link": "<a>"}));
    }
}
