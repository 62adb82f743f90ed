//! From the gateway's event to a request. The gateway hands over paths already percent-decoded (a space, a quote, a control character
//! as they are), and what clients sent as headers: what a URI may not hold is encoded again, what is no header is left out.

use std::borrow::Cow;
use std::fmt;

use axum::body::Body;
use axum::extract::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::HOST;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// What RFC 3986 does not let stand in a path or a query; a percent sign is left as it came.
const NOT_IN_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
const NOT_IN_QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

/// An HTTP API event of payload format 2.0, as far as it is used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayEvent {
    #[serde(default)]
    raw_path: String,
    #[serde(default)]
    raw_query_string: String,
    #[serde(default, deserialize_with = "header_lines")]
    headers: HeaderMap,
    request_context: RequestContext,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestContext {
    request_id: Option<String>,
    http: HttpContext,
}

#[derive(Deserialize)]
struct HttpContext {
    #[serde(with = "http_serde::method")]
    method: Method,
}

/// The gateway's id of the request, which its access log shows too.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

impl GatewayEvent {
    /// An error only where the body is said to be base64 and is none.
    pub fn into_request(self) -> Result<Request, base64::DecodeError> {
        let body = match self.body {
            None => Body::empty(),
            Some(encoded) if self.is_base64_encoded => Body::from(STANDARD.decode(encoded)?),
            Some(text) => Body::from(text),
        };
        let mut request = Request::new(body);
        *request.method_mut() = self.request_context.http.method;
        *request.uri_mut() = target(&self.raw_path, &self.raw_query_string);
        *request.headers_mut() = self.headers;
        request.extensions_mut().insert(RequestId(self.request_context.request_id.unwrap_or_default()));
        Ok(request)
    }
}

/// `..` is a path parameter like any other.
fn target(path: &str, query: &str) -> Uri {
    let path: Cow<str> = utf8_percent_encode(path, NOT_IN_PATH).into();
    let query: Cow<str> = utf8_percent_encode(query, NOT_IN_QUERY).into();
    let root = if path.starts_with('/') { "" } else { "/" };
    let separator = if query.is_empty() { "" } else { "?" };
    // Too long for a URI: no operation has such a path.
    Uri::try_from([root, &path, separator, &query].concat()).unwrap_or(Uri::from_static("//"))
}

fn header_lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<HeaderMap, D::Error> {
    struct Lines;

    impl<'de> Visitor<'de> for Lines {
        type Value = HeaderMap;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("names and values of headers")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut sent: A) -> Result<HeaderMap, A::Error> {
            let mut headers = HeaderMap::with_capacity(16);
            while let Some((name, value)) = sent.next_entry::<String, String>()? {
                if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::try_from(value))
                    && name != HOST
                {
                    // More than a map holds are more than the gateway lets through.
                    let _ = headers.try_append(name, value);
                }
            }
            Ok(headers)
        }
    }

    deserializer.deserialize_map(Lines)
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::{Value, json};

    use super::*;

    fn event(path: &str, query: &str) -> Value {
        json!({
            "version": "2.0", "rawPath": path, "rawQueryString": query,
            "headers": {"host": "a b", "authorization": "Bearer x", "bad name": "x", "x-bad": "a\nb", "x-ü": "é"},
            "requestContext": {"stage": "$default", "requestId": "id", "http": {"method": "GET", "path": path}},
        })
    }

    fn converted(event: Value) -> Result<Request, String> {
        let event: GatewayEvent = serde_json::from_value(event).map_err(|error| error.to_string())?;
        event.into_request().map_err(|error| error.to_string())
    }

    fn request(path: &str, query: &str) -> Request {
        converted(event(path, query)).expect("a request")
    }

    async fn body(body: &str, is_base64_encoded: bool) -> Result<Vec<u8>, String> {
        let mut event = event("/", "");
        event["body"] = json!(body);
        event["isBase64Encoded"] = json!(is_base64_encoded);
        let body = converted(event)?.into_body().collect().await.expect("bytes");
        Ok(body.to_bytes().to_vec())
    }

    #[test]
    fn no_path_or_query_can_make_the_conversion_panic() {
        let long = "/".repeat(70_000);
        for path in [
            "",
            "/",
            "no-slash",
            "/a b",
            "/\"",
            "/\u{0}",
            "/%00",
            "/%2F",
            "/%25",
            "/%",
            "/../..",
            "/é",
            "/a?b#c",
            "/{x}",
            "/\\^`|<>",
            "//host/a",
            "http://host/a",
            &long,
        ] {
            for query in ["", "a=b", "a=\"", "a= ", "a=\u{0}", "a=%00&&&=", "é=ü", "#", "?"] {
                let request = request(path, query);
                assert!(request.uri().path().starts_with('/'), "{path}?{query}");
                assert_eq!(request.uri().host(), None, "{path}?{query}");
            }
        }
    }

    #[test]
    fn paths_and_queries_are_as_they_were_sent() {
        assert_eq!(request("/v1/%2e%2E/a%2Fb", "").uri(), "/v1/%2e%2E/a%2Fb");
        assert_eq!(request("/v1/../a b", "a=b c").uri(), "/v1/../a%20b?a=b%20c");
        assert_eq!(request(&"/".repeat(70_000), "a=b").uri(), "//");
    }

    #[test]
    fn what_is_no_header_is_left_out() {
        let request = request("/", "");
        let names: Vec<_> = request.headers().keys().collect();
        assert_eq!(names, ["authorization"]);
        assert_eq!(request.extensions().get::<RequestId>().map(|id| id.0.as_str()), Some("id"));
    }

    #[test]
    fn what_is_no_method_is_no_event() {
        let mut event = event("/", "");
        event["requestContext"]["http"]["method"] = json!("G T");
        assert!(converted(event).is_err());
    }

    #[tokio::test]
    async fn bodies_come_as_text_or_encoded() {
        assert_eq!(body("é", false).await, Ok("é".into()));
        assert_eq!(body("/w==", true).await, Ok(vec![0xff]));
        assert!(body("no base64", true).await.is_err());
    }
}
