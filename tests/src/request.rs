//! Requests to the functions, and their responses.

use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequestContext;
use lambda_http::request::RequestContext;
use serde_json::Value;

/// Name, file name, content type and content of one part of a multipart body.
pub type Part<'a> = (&'a str, Option<&'a str>, Option<&'a str>, &'a [u8]);

/// A builder for one request.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// The address that the gateway has seen, if there was one.
    pub source: Option<String>,
}

impl Call {
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Call { method, path: path.into(), headers: HeaderMap::new(), body: Vec::new(), source: None }
    }

    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    pub fn put(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path)
    }

    pub fn patch(path: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path)
    }

    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap());
        self
    }

    /// Comes through a gateway that has seen this address.
    #[must_use]
    pub fn from(mut self, address: &str) -> Self {
        self.source = Some(address.to_owned());
        self
    }

    #[must_use]
    pub fn key(self, credential: &str) -> Self {
        self.header("authorization", &format!("Bearer {credential}"))
    }

    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        let mut call = self.header("content-type", "application/json");
        call.body = body.to_string().into_bytes();
        call
    }

    #[must_use]
    pub fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sets a multipart body with these parts.
    #[must_use]
    pub fn parts(self, parts: &[Part<'_>]) -> Self {
        let mut body = Vec::new();
        for (name, file_name, mime, content) in parts {
            body.extend_from_slice(format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"").as_bytes());
            if let Some(file_name) = file_name {
                body.extend_from_slice(format!("; filename=\"{file_name}\"").as_bytes());
            }
            if let Some(mime) = mime {
                body.extend_from_slice(format!("\r\nContent-Type: {mime}").as_bytes());
            }
            body.extend_from_slice(b"\r\n\r\n");
            body.extend_from_slice(content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--edge--\r\n");
        self.header("content-type", "multipart/form-data; boundary=edge").bytes(body)
    }

    #[must_use]
    pub fn file(self, file_name: &str, mime: Option<&str>, content: &[u8]) -> Self {
        self.parts(&[("file", Some(file_name), mime, content)])
    }

    pub fn request(&self) -> Request<Body> {
        let mut request = Request::new(Body::from(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.path.parse().unwrap();
        *request.headers_mut() = self.headers.clone();
        if let Some(source) = &self.source {
            let mut gateway = ApiGatewayV2httpRequestContext::default();
            gateway.request_id = Some("from-the-gateway".to_owned());
            gateway.http.source_ip = Some(source.clone());
            request.extensions_mut().insert(RequestContext::ApiGatewayV2(gateway));
        }
        request
    }
}

/// The largest response of a function that Lambda accepts.
const LARGEST_RESPONSE: usize = 6 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Reply {
    pub async fn of(response: Response<Body>) -> Reply {
        let (parts, body) = response.into_parts();
        let text = String::from_utf8_lossy(&body.collect().await.unwrap().to_bytes()).into_owned();
        let reply = Reply { status: parts.status, headers: parts.headers, text };
        let size = reply.size_for_lambda();
        assert!(
            size <= LARGEST_RESPONSE,
            "Lambda rejects a response of {size} bytes, and the gateway responds with 500"
        );
        reply
    }

    /// Returns the size of the response as Lambda gets it: JSON with the body as a string, in which quotation marks and
    /// backslashes are escaped again.
    pub fn size_for_lambda(&self) -> usize {
        let headers: std::collections::BTreeMap<&str, String> = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let response = serde_json::json!({
            "statusCode": self.status.as_u16(), "headers": headers, "multiValueHeaders": {}, "body": self.text,
            "isBase64Encoded": false, "cookies": [],
        });
        response.to_string().len()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{self:?}");
        assert_eq!(self.headers["content-type"], "application/json");
        self.json()
    }

    /// Checks that the response is a structured error with this status, parameter and code.
    #[track_caller]
    pub fn refused(self, status: u16, param: Option<&str>, code: Option<&str>) -> Value {
        let body = self.clone().expect(status);
        let error = &body["error"];
        assert_eq!((error["param"].as_str(), error["code"].as_str()), (param, code), "{self:?}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{self:?}");
        assert_eq!(code.is_some(), error["doc_url"].is_string(), "{self:?}");
        assert_eq!(error["type"], kind(status, error), "{self:?}");
        body
    }

    /// Checks that the response is a plain 401 error with this message.
    #[track_caller]
    pub fn unauthenticated(self, message: &str) {
        assert_eq!(self.headers["www-authenticate"], "Bearer");
        assert_eq!(self.clone().expect(401), serde_json::json!({ "error": message }));
    }

    /// Checks that the response is the plain 401 error for `key`, which is valid but of another kind than the operation
    /// takes. The message names both kinds with their prefixes.
    #[track_caller]
    pub fn wrong_kind(self, key: &str) {
        const KINDS: [(&str, &str); 6] = [
            ("sk_admin_", "an admin key (sk_admin_...)"),
            ("sk_live_app_", "a live app key (sk_live_app_...)"),
            ("sk_test_app_", "a test app key (sk_test_app_...)"),
            ("session_", "a session token (session_...)"),
            ("onboarding_", "the token of an onboarding link (onboarding_...)"),
            ("signin_", "the token of a sign-in link (signin_...)"),
        ];
        assert_eq!(self.headers["www-authenticate"], "Bearer");
        let body = self.expect(401);
        let message = text(&body, "error");
        let (_, given) = KINDS.into_iter().find(|(prefix, _)| key.starts_with(prefix)).unwrap();
        let takes = message.strip_prefix("Invalid credentials: this operation takes ");
        let takes = takes.and_then(|rest| rest.strip_suffix(&format!(", but this is {given}."))).unwrap_or_default();
        let takes: Vec<&str> = takes.split(" or ").collect();
        assert!(takes.iter().all(|kind| KINDS.iter().any(|(_, known)| known == kind)), "{message}");
        assert!(!takes.contains(&given), "{message}");
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// The error type that follows from the status and the rest of the error.
fn kind(status: u16, error: &Value) -> &'static str {
    match (status, error["code"].as_str()) {
        _ if error["provider"].is_object() => "provider_error",
        (_, Some("platform_api_unavailable")) => "provider_error",
        (401, _) => "authentication_error",
        (500, _) | (503, None) | (_, Some("rate_limit_exceeded")) => "api_error",
        _ => "invalid_request_error",
    }
}

/// The string value of a field.
#[track_caller]
pub fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_else(|| panic!("no {field} in {body}")).to_owned()
}

/// Returns another id of the same form.
pub fn altered(id: &str) -> String {
    let (start, last) = id.split_at(id.len() - 1);
    format!("{start}{}", if last == "x" { "y" } else { "x" })
}
