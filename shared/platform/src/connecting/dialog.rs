//! The platform's dialog, in which a person signs up and gives this installation access.

use serde_json::json;
use url::Url;

use crate::graph::Graph;
use crate::versions::SIGNUP_VERSION;

/// The base URL of the dialog in which a person signs up. It is opened in a browser, and is not part of the Graph API.
const DIALOG: &str = "https://www.facebook.com";
/// The feature of the dialog with which a business keeps using its numbers in the business app.
const COEXISTENCE_FEATURE: &str = "whatsapp_business_app_onboarding";

impl Graph {
    /// Returns the URL at which a person signs up and gives this installation access, with the configuration of the app's
    /// embedded signup. The platform sends the person back to `redirect_uri`. `None` if no app is configured.
    pub fn signup_url(
        &self,
        configuration: &str,
        redirect_uri: &str,
        state: &str,
        is_coexistence: bool,
    ) -> Option<String> {
        let (app_id, version) = (self.settings.app_id.as_str(), &self.settings.version);
        if app_id.is_empty() || configuration.is_empty() {
            return None;
        }
        // The products that are offered are chosen in the login configuration.
        let mut extras = json!({"version": SIGNUP_VERSION});
        if is_coexistence {
            extras["featureType"] = COEXISTENCE_FEATURE.into();
        }
        let extras = extras.to_string();
        let query = [
            ("client_id", app_id),
            ("redirect_uri", redirect_uri),
            ("state", state),
            ("response_type", "code"),
            ("config_id", configuration),
            ("override_default_response_type", "true"),
            ("extras", &extras),
        ];
        Url::parse_with_params(&format!("{DIALOG}/{version}/dialog/oauth"), query).ok().map(Into::into)
    }
}
