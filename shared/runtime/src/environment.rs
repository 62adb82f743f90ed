//! The environment variables of a function. All missing variables are reported together at startup.

use std::io::stdout;

use aws::Connection;
use aws_credential_types::Credentials;
use domain::audit::Retention;
use domain::events::webhook::AddressPolicy;
use domain::text;
use store::Store;

use crate::context::{Context, Installation};
use crate::metrics::{Metrics, Monitoring};

/// Reads environment variables and collects the names of missing ones.
#[derive(Default)]
pub struct Environment {
    missing: Vec<&'static str>,
}

impl Environment {
    /// Returns the variable, or an empty string if it is missing; [`Environment::finish`] then fails.
    pub fn required(&mut self, name: &'static str) -> String {
        Self::optional(name).unwrap_or_else(|| {
            self.missing.push(name);
            String::new()
        })
    }

    /// Returns the variable if it is set and not empty.
    pub fn optional(name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    /// Fails with the names of all required variables that were missing.
    pub fn finish(&mut self) -> Result<(), String> {
        match self.missing.as_slice() {
            [] => Ok(()),
            missing => Err(format!(
                "Missing environment variables: {}. Set them in the function's configuration.",
                missing.join(", ")
            )),
        }
    }

    /// Returns the connection to AWS with the region, credentials and endpoint from the variables that Lambda sets.
    pub fn connection(&mut self) -> Result<Connection, String> {
        let region = self.required("AWS_REGION");
        let key_id = self.required("AWS_ACCESS_KEY_ID");
        let secret = self.required("AWS_SECRET_ACCESS_KEY");
        let token = Self::optional("AWS_SESSION_TOKEN");
        let credentials = Credentials::new(key_id, secret, token, None, "environment");
        Connection::new(region, credentials, Self::optional("AWS_ENDPOINT_URL"))
    }

    /// Returns the store on the table of this installation.
    pub fn store(&mut self, connection: &Connection) -> Store {
        let store = Store::new(connection.dynamodb(), self.required("TABLE_NAME"));
        if self.required("TABLE_STREAM") == "none" { store.without_meter() } else { store }
    }

    /// Returns the settings of this installation.
    pub fn installation(&mut self) -> Installation {
        let docs_url = self.required("DOCS_URL").trim_end_matches('/').to_owned();
        // The error reference is published by this API unless it was moved, so its host counts as this API's own, too.
        let docs_host = text::absolute_url(&docs_url)
            .and_then(|url| Some((url.host_str()?.to_owned(), url.port_or_known_default())));
        let api_hosts = self.required("API_HOSTS");
        let api_hosts = api_hosts.split(',').map(|host| (host.to_owned(), None));
        let own = docs_host.into_iter().chain(api_hosts).collect();
        Installation {
            docs_url,
            webhook_addresses: AddressPolicy {
                own,
                allow_local: Self::optional("ALLOW_LOCAL_WEBHOOKS").as_deref() == Some("true"),
            },
        }
    }

    /// Returns which metrics to publish. The template allows no other value than these two.
    fn monitoring(&mut self) -> Monitoring {
        match self.required("MONITORING").as_str() {
            "full" => Monitoring::Full,
            _ => Monitoring::Essential,
        }
    }

    /// Returns the context for a function that uses the table.
    pub fn context(&mut self, connection: &Connection) -> Context {
        let namespace = self.required("METRICS_NAMESPACE");
        let metrics = Metrics::new(&namespace, self.monitoring(), stdout());
        let context = Context::new(self.store(connection), self.installation(), metrics);
        Context { audit_retention: Self::audit_retention(), ..context }
    }

    /// Returns how long entries of the audit log are kept.
    pub fn audit_retention() -> Retention {
        let days = Self::optional("AUDIT_RETENTION_DAYS").and_then(|days| days.parse().ok());
        days.map_or_else(Retention::default, |days| Retention { days })
    }
}
