//! The client of the platform's Graph API: its connections, addresses and secrets.

mod call;
mod port;

use std::sync::LazyLock;

use domain::credential::Secret;
use url::Url;

use crate::error::PlatformResult;
use crate::http::{Http, Reuse};
use crate::{GraphSettings, PlatformError, Vault};

pub(crate) use call::{Call, PAGE_SIZE, error_of, proof, read, segment};

/// The domains that host the platform's media, in addition to its API host.
const MEDIA_HOSTS: [&str; 4] = ["fbsbx.com", "facebook.com", "fbcdn.net", "whatsapp.net"];

type Sender = LazyLock<Result<Http, String>, Box<dyn FnOnce() -> Result<Http, String> + Send>>;

/// A client of the platform's Graph API.
pub struct Graph {
    http: Http,
    /// The client that sends messages. Created on first use: most functions send none.
    sender: Sender,
    /// The client that reads media from the bucket, for uploads. Created on first use. The local stack's bucket has no TLS;
    /// the URLs are made by this service.
    bucket: Sender,
    settings: GraphSettings,
    vault: Vault,
}

impl Graph {
    /// Returns a client. Fails if the base URL is invalid.
    pub fn new(settings: GraphSettings, vault: Vault) -> Result<Self, String> {
        let base = Url::parse(&settings.base_url)
            .map_err(|error| format!("PLATFORM_BASE_URL is not a valid URL: {error}."))?;
        let (limits, allow_plaintext) = (settings.limits, base.scheme() == "http");
        let http = Http::new(limits, allow_plaintext, Reuse::Connections)?;
        let sender = LazyLock::new(Box::new(move || Http::new(limits, allow_plaintext, Reuse::Nothing)) as Box<_>);
        let bucket = LazyLock::new(Box::new(move || Http::new(limits, true, Reuse::Nothing)) as Box<_>);
        Ok(Graph { http, sender, bucket, settings, vault })
    }

    pub(crate) fn http(&self) -> &Http {
        &self.http
    }

    pub(crate) fn bucket(&self) -> PlatformResult<&Http> {
        Ok(self.bucket.as_ref().map_err(|error| domain::Failure::internal(error.clone()))?)
    }

    /// Returns the URL of a path of the API.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}/{}/{path}", self.settings.base_url, self.settings.version)
    }

    /// The version of the API.
    pub(crate) fn version(&self) -> &str {
        &self.settings.version
    }

    /// Returns the id of the installation's app; empty if none is configured.
    pub(crate) fn app_id(&self) -> &str {
        &self.settings.app_id
    }

    pub(crate) async fn app_secret(&self) -> PlatformResult<Secret> {
        if self.settings.app_id.is_empty() {
            return Err(PlatformError::NotConfigured);
        }
        let app = self.vault.app().await?;
        app.app_secrets.into_iter().next().ok_or(PlatformError::NotConfigured)
    }

    /// Returns whether the URL belongs to the platform. The business token must not be sent to any other host.
    fn is_platform_address(&self, url: &Url) -> bool {
        let is_api_host = Url::parse(&self.settings.base_url).is_ok_and(|base| base.origin() == url.origin());
        let host = url.host_str().unwrap_or_default();
        let is_below =
            |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let has_usual_port = url.scheme() == "https" && url.port().is_none();
        is_api_host || (has_usual_port && MEDIA_HOSTS.into_iter().any(is_below))
    }
}
