//! Requests to the functions, and their responses.

use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
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
}

impl Call {
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Call { method, path: path.into(), headers: HeaderMap::new(), body: Vec::new() }
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
        request
    }
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Reply {
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
        (500, _) | (_, Some("rate_limit_exceeded")) => "api_error",
        _ => "invalid_request_error",
    }
}

/// The string value of a field.
#[track_caller]
pub fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_else(|| panic!("no {field} in {body}")).to_owned()
}
