use std::sync::{Arc, OnceLock};

use domain::text;
use runtime::{Environment, Installation};

use crate::console::Console;
use crate::encoded::Encoded;
use crate::pages::markdown::Texts;

/// The state of this function's operations.
#[derive(Clone)]
pub struct ReferenceContext {
    pub installation: Arc<Installation>,
    /// The base URL of this API, without a trailing slash.
    pub(crate) api_url: String,
    /// The host of the identity provider with which members sign in, if there is one.
    pub(crate) identity_provider: Option<String>,
    /// The console, if there is one.
    pub(crate) console: Arc<Console>,
    /// The OpenAPI document with that URL. Like the next four, it is created by the first request for it, and kept.
    pub(crate) document: Arc<OnceLock<Encoded>>,
    /// The catalogue of error codes.
    pub(crate) catalogue: Arc<OnceLock<Encoded>>,
    /// The API reference page.
    pub(crate) reference: Arc<OnceLock<Encoded>>,
    /// The pages of the API reference as Markdown.
    pub(crate) texts: Arc<Texts>,
    /// The sign-in page.
    pub(crate) sign_in: Arc<OnceLock<Encoded>>,
}

impl ReferenceContext {
    /// Returns the state for the API at `api_url`, without a console.
    pub fn new(installation: Arc<Installation>, api_url: &str) -> Self {
        let api_url = api_url.trim_end_matches('/').to_owned();
        ReferenceContext {
            installation,
            api_url,
            identity_provider: None,
            console: Arc::default(),
            document: Arc::default(),
            catalogue: Arc::default(),
            reference: Arc::default(),
            texts: Arc::default(),
            sign_in: Arc::default(),
        }
    }

    /// Returns the same state with this console.
    #[must_use]
    pub fn with_console(self, console: Console) -> Self {
        ReferenceContext { console: Arc::new(console), ..self }
    }

    /// Reads the function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Self {
        let api_url = environment.required("API_URL");
        let issuer = Environment::optional("SIGN_IN_ISSUER").and_then(|issuer| text::absolute_url(&issuer));
        ReferenceContext {
            identity_provider: issuer.and_then(|url| url.host_str().map(str::to_owned)),
            ..Self::new(Arc::new(environment.installation()), &api_url).with_console(Console::from_environment())
        }
    }

    /// Returns the API's origin, such as `https://api.example.com`, if the pages are also published at an address that
    /// does not serve the API.
    pub(crate) fn origin_behind_docs(&self) -> Option<String> {
        let is_elsewhere = self.installation.docs_url != self.api_url;
        is_elsewhere.then(|| text::absolute_url(&self.api_url)).flatten().map(|url| url.origin().ascii_serialization())
    }
}
