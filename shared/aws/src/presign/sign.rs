//! Signed URLs (SigV4 in the query), identical to those of the SDK but without its client
//! (docs/adr/0014-presigned-addresses.md).

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use aws_sigv4::http_request::{
    PercentEncodingMode, SignableBody, SignableRequest, SignatureLocation, SigningSettings, UriPathNormalizationMode,
    sign,
};
use aws_sigv4::sign::v4::SigningParams;
use aws_smithy_runtime_api::client::identity::Identity;
use domain::Failure;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::connection::Connection;

/// All characters except those that RFC 3986 calls unreserved.
pub(crate) const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request to be presigned.
pub(crate) struct Presignable<'a> {
    pub(crate) method: &'static str,
    /// The object key, which must not need percent-encoding.
    pub(crate) key: &'a str,
    pub(crate) query: &'a [(&'static str, &'a str)],
    /// The headers that the signature covers.
    pub(crate) headers: &'a [(&'static str, &'a str)],
    pub(crate) valid: Duration,
}

/// The URL of a bucket and the identity that signs requests to it.
pub(crate) struct Signer {
    pub(crate) bucket: String,
    base_url: String,
    region: String,
    identity: Identity,
}

impl Signer {
    pub(crate) fn new(connection: &Connection, bucket: &str) -> Self {
        let base_url = match &connection.endpoint_url {
            // Virtual-hosted names such as `bucket.localhost` do not resolve everywhere.
            Some(url) => format!("{}/{bucket}", url.trim_end_matches('/')),
            None => format!("https://{bucket}.s3.{}.{}", connection.region, domain_of(&connection.region)),
        };
        Signer {
            bucket: bucket.to_owned(),
            base_url,
            region: connection.region.clone(),
            identity: connection.credentials.clone().into(),
        }
    }

    pub(crate) fn address(&self, wanted: &Presignable<'_>, now: SystemTime) -> Result<String, Failure> {
        let mut address = format!("{}/{}", self.base_url, wanted.key);
        append(&mut address, wanted.query.iter().map(|(name, value)| (*name, Cow::Borrowed(*value))));

        let settings = settings(wanted.valid);
        let params = SigningParams::builder()
            .identity(&self.identity)
            .region(&self.region)
            .name("s3")
            .time(now)
            .settings(settings)
            .build()
            .map_err(Failure::internal)?
            .into();

        let headers = wanted.headers.iter().copied();
        let request = SignableRequest::new(wanted.method, &*address, headers, SignableBody::UnsignedPayload)
            .map_err(Failure::internal)?;
        let (instructions, _) = sign(request, &params).map_err(Failure::internal)?.into_parts();
        append(&mut address, instructions.into_parts().1.into_iter());
        Ok(address)
    }
}

/// Signing as S3 requires it: the path is encoded once and not normalized.
fn settings(valid: Duration) -> SigningSettings {
    let mut settings = SigningSettings::default();
    settings.percent_encoding_mode = PercentEncodingMode::Single;
    settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
    settings.signature_location = SignatureLocation::QueryParams;
    settings.expires_in = Some(valid);
    settings
}

/// Returns the DNS suffix of a region (<https://docs.aws.amazon.com/general/latest/gr/s3.html>).
fn domain_of(region: &str) -> &'static str {
    if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" }
}

fn append<'a>(address: &mut String, query: impl Iterator<Item = (&'a str, Cow<'a, str>)>) {
    for (name, value) in query {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(name);
        address.push('=');
        address.extend(utf8_percent_encode(&value, RESERVED));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::UNIX_EPOCH;

    use aws_sdk_s3::Client;
    use aws_sdk_s3::config::Credentials;
    use aws_sdk_s3::presigning::{PresignedRequest, PresigningConfig};

    use super::*;

    const ODD: &str = "attachment; filename=\"Z_rich _1_.pdf\"; filename*=UTF-8''Z%C3%BCrich%20+~*/";

    fn connection(region: &str, endpoint_url: Option<&str>, session: Option<&str>) -> Connection {
        let credentials = Credentials::new("AKIDEXAMPLE", "wJalrXUtnFEMI", session.map(str::to_owned), None, "test");
        Connection::new(region.to_owned(), credentials, endpoint_url.map(str::to_owned)).expect("a connection")
    }

    fn sdk(connection: &Connection) -> Client {
        let config = crate::client_config!(aws_sdk_s3, connection)
            .request_checksum_calculation(aws_sdk_s3::config::RequestChecksumCalculation::WhenRequired)
            .force_path_style(connection.endpoint_url.is_some());
        Client::from_conf(config.build())
    }

    /// Splits a URL into its base and its query parameters, whose order does not matter.
    fn parts(address: &str) -> (String, BTreeSet<String>) {
        let (base, query) = address.split_once('?').expect("a query");
        (base.to_owned(), query.split('&').map(str::to_owned).collect())
    }

    fn assert_same(ours: &str, sdk: &PresignedRequest) {
        assert_eq!(parts(ours), parts(sdk.uri()));
    }

    #[tokio::test]
    async fn addresses_are_those_of_the_sdk() {
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let valid = Duration::from_secs(3600);
        for (region, endpoint, session) in [
            ("us-east-1", None, None),
            ("eu-central-1", None, Some("FwoGZXIvYXdzEBQaDP8/Zm+h==")),
            ("cn-north-1", None, None),
            ("us-gov-west-1", None, None),
            ("us-east-1", Some("http://127.0.0.1:4566"), Some("token")),
        ] {
            let connection = connection(region, endpoint, session);
            let (signer, sdk) = (Signer::new(&connection, "bucket-1"), sdk(&connection));
            let presigning =
                PresigningConfig::builder().start_time(now).expires_in(valid).build().expect("a configuration");
            let download = sdk.get_object().bucket("bucket-1").key("media/org_1/med_1");
            let download = download.response_content_type("image/png; x=\"é\"").response_content_disposition(ODD);
            let query = [
                ("response-content-disposition", ODD),
                ("response-content-type", "image/png; x=\"é\""),
                ("x-id", "GetObject"),
            ];
            let wanted = Presignable { method: "GET", key: "media/org_1/med_1", query: &query, headers: &[], valid };
            let address = signer.address(&wanted, now).expect("an address");
            assert_same(&address, &download.presigned(presigning.clone()).await.expect("a download"));
            let upload = sdk.put_object().bucket("bucket-1").key("incoming/org_1/med_1").content_type("image/png");
            let upload = upload.content_length(123).if_none_match("*").presigned(presigning).await.expect("an upload");
            let headers: Vec<_> = upload.headers().collect();
            assert_eq!(headers.len(), 3);
            let headers = [("content-type", "image/png"), ("content-length", "123"), ("if-none-match", "*")];
            let query = [("x-id", "PutObject")];
            let wanted =
                Presignable { method: "PUT", key: "incoming/org_1/med_1", query: &query, headers: &headers, valid };
            assert_same(&signer.address(&wanted, now).expect("an address"), &upload);
        }
    }
}
