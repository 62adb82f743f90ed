//! Texts that are sent compressed to clients that accept gzip. Each is compressed once, by the first request for it.

use std::io::{self, Read as _, Write as _};

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};

pub(crate) const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// A text and its compressed form.
pub(crate) struct Encoded {
    identity: Bytes,
    gzip: Bytes,
}

impl Encoded {
    pub(crate) fn new(text: impl Into<Bytes>) -> Self {
        let identity = text.into();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        // Writing to memory cannot fail.
        let gzip = encoder.write_all(&identity).and_then(|()| encoder.finish()).unwrap_or_default();
        Encoded { gzip: gzip.into(), identity }
    }

    /// Returns a text that is compressed already. Fails if it is not.
    pub(crate) fn of_gzip(gzip: Vec<u8>) -> io::Result<Self> {
        let mut identity = Vec::new();
        GzDecoder::new(gzip.as_slice()).read_to_end(&mut identity)?;
        Ok(Encoded { identity: identity.into(), gzip: gzip.into() })
    }

    /// Returns the response in the encoding that the request accepts.
    pub(crate) fn response(&self, request: &HeaderMap, content_type: HeaderValue) -> Response {
        let is_compressed = accepts_gzip(request);
        let body = if is_compressed { &self.gzip } else { &self.identity };
        let mut response = Body::from(body.clone()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, content_type);
        headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        if is_compressed {
            headers.insert(CONTENT_ENCODING, GZIP);
        }
        response
    }
}

/// Returns the text that was compressed when the function was built.
pub(crate) fn decompressed(gzip: &[u8]) -> String {
    let mut text = String::new();
    #[expect(clippy::expect_used, reason = "the build script wrote the bytes")]
    GzDecoder::new(gzip).read_to_string(&mut text).expect("text");
    text
}

/// Returns whether the request names gzip and does not exclude it with `q=0` (RFC 9110, section 12.5.3). A request without
/// the header accepts everything, but programs that send none often cannot decompress.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let values = request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        is_gzip && weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_name_gzip_get_it() {
        let accepts = |value: &'static str| {
            accepts_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };
        for value in ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "identity, gzip; q=0.001"] {
            assert!(accepts(value), "{value}");
        }
        for value in ["", "identity", "br", "gzip;q=0", "gzip; q=0.0, identity", "gzip;q=x", "*", "x-gzip2"] {
            assert!(!accepts(value), "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
