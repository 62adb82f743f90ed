//! The installation's app: its credentials, its callback URL and the fields that it is subscribed to.

use domain::chat::{Check, Finding};
use domain::error::provider::shown;
use domain::events::webhook::AddressPolicy;
use url::Url;

use super::unanswered::unanswered;
use crate::error::{PlatformError, PlatformResult};
use crate::fields::{MESSAGES_FIELD, subscribed_fields};
use crate::inspection::AppSubscription;

/// The path at which this API receives the platform's notifications.
const NOTIFICATIONS: &str = "/v1/platform/notifications";
const ENTER_URL: &str = "The operator must enter the stack's output NotificationsUrl as the callback URL in the \
    settings of the Meta app, under WhatsApp > Configuration.";

pub(super) fn simulated() -> Vec<Finding> {
    vec![
        Finding::ok(Check::AppCredentials, "Test mode needs no Meta app."),
        Finding::ok(Check::CallbackUrl, "Simulated notifications are sent to this installation."),
        Finding::ok(Check::CallbackFields, "Simulated notifications contain all fields."),
    ]
}

/// Returns the findings for the platform's response about the app's subscription.
pub(super) fn findings(subscription: PlatformResult<Option<AppSubscription>>, own: &AddressPolicy) -> Vec<Finding> {
    let subscription = match subscription {
        Ok(subscription) => subscription,
        Err(error) => return vec![rejected(error)],
    };
    let mut findings = vec![Finding::ok(Check::AppCredentials, "Meta accepts the app's id and secret.")];
    match subscription {
        None => findings.push(Finding::failed(
            Check::CallbackUrl,
            "The app has no callback URL for WhatsApp, so no messages and statuses are received.",
            ENTER_URL,
        )),
        Some(subscription) => findings.extend([callback(&subscription, own), fields(&subscription)]),
    }
    findings
}

fn rejected(error: PlatformError) -> Finding {
    let is_refusal = matches!(error, PlatformError::Rejected(_));
    let finding = unanswered(Check::AppCredentials, "The installation's app", error);
    if !is_refusal || finding.check != Check::AppCredentials {
        return finding;
    }
    let remedy = "The operator must compare PlatformAppId and PlatformAppSecret with the settings of the Meta app, \
                  and deploy the correct ones.";
    Finding { remedy: Some(remedy.to_owned()), ..finding }
}

fn callback(subscription: &AppSubscription, own: &AddressPolicy) -> Finding {
    let url = without_query(&subscription.callback_url);
    if !is_own(&subscription.callback_url, own) {
        let message = format!(
            "Meta sends notifications to {url}, which is not this installation, so no messages and statuses \
             are received."
        );
        return Finding::failed(Check::CallbackUrl, message, ENTER_URL);
    }
    if !subscription.is_active {
        let message = "The app's subscription is not active, so no messages and statuses are received.";
        return Finding::failed(Check::CallbackUrl, message, ENTER_URL);
    }
    Finding::ok(Check::CallbackUrl, format!("Meta sends notifications to {url}."))
}

fn fields(subscription: &AppSubscription) -> Finding {
    let has = |field: &&'static str| subscription.fields.iter().any(|subscribed| subscribed == field);
    let missing: Vec<&str> = subscribed_fields().filter(|field| !has(field)).collect();
    if missing.is_empty() {
        let message = format!("The app is subscribed to all {} fields.", subscribed_fields().count());
        return Finding::ok(Check::CallbackFields, message);
    }
    let message = format!("The app is not subscribed to: {}.", missing.join(", "));
    let remedy = "The operator must subscribe to these fields in the settings of the Meta app, under WhatsApp > \
                  Configuration.";
    if missing.contains(&MESSAGES_FIELD) {
        return Finding::failed(Check::CallbackFields, message, remedy);
    }
    Finding::warning(Check::CallbackFields, message, remedy)
}

/// Returns whether a URL is the one at which this installation receives notifications.
pub(super) fn is_own(url: &str, own: &AddressPolicy) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let is_own_host = |(host, port): &(String, Option<u16>)| {
        url.host_str() == Some(host) && port.is_none_or(|port| url.port_or_known_default() == Some(port))
    };
    url.path() == NOTIFICATIONS && own.own.iter().any(is_own_host)
}

/// Returns a URL without its query, which may contain a secret.
pub(super) fn without_query(url: &str) -> String {
    shown(url.split(['?', '#']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_address_is_own() {
        let own = AddressPolicy {
            own: vec![("api.example.com".to_owned(), None), ("localhost".to_owned(), Some(4566))],
            allow_local: false,
        };
        for (url, expected) in [
            ("https://api.example.com/v1/platform/notifications", true),
            ("https://API.example.com/v1/platform/notifications", true),
            ("http://localhost:4566/v1/platform/notifications", true),
            ("http://localhost:4567/v1/platform/notifications", false),
            ("https://api.example.com/", false),
            ("https://api.example.com.evil.example/v1/platform/notifications", false),
            ("https://evil.example/https://api.example.com/v1/platform/notifications", false),
            ("", false),
        ] {
            assert_eq!(is_own(url, &own), expected, "{url}");
        }
        assert_eq!(without_query("https://a.example/b?token=secret"), "https://a.example/b");
    }
}
