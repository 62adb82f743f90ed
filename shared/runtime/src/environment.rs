//! The environment of a function. Everything that is missing is reported together, at start.

use std::io::stdout;

use aws::Connection;
use aws_credential_types::Credentials;
use domain::text;
use domain::webhook::AddressPolicy;
use store::Store;

use crate::context::{Context, Installation};
use crate::metrics::Metrics;

/// Reads variables and collects the names of those that are missing.
#[derive(Default)]
pub struct Environment {
    missing: Vec<&'static str>,
}

impl Environment {
    pub fn required(&mut self, name: &'static str) -> String {
        Self::optional(name).unwrap_or_else(|| {
            self.missing.push(name);
            String::new()
        })
    }

    pub fn optional(name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    pub fn finish(&mut self) -> Result<(), String> {
        match self.missing.as_slice() {
            [] => Ok(()),
            missing => Err(format!("missing environment variables: {}", missing.join(", "))),
        }
    }

    /// Region, credentials and endpoint as the Lambda service sets them.
    pub fn connection(&mut self) -> Result<Connection, String> {
        let region = self.required("AWS_REGION");
        let key_id = self.required("AWS_ACCESS_KEY_ID");
        let secret = self.required("AWS_SECRET_ACCESS_KEY");
        let token = Self::optional("AWS_SESSION_TOKEN");
        let credentials = Credentials::new(key_id, secret, token, None, "environment");
        Connection::new(region, credentials, Self::optional("AWS_ENDPOINT_URL"))
    }

    pub fn store(&mut self, connection: &Connection) -> Store {
        Store::new(connection.dynamodb(), self.required("TABLE_NAME"))
    }

    pub fn installation(&mut self) -> Installation {
        let docs_url = self.required("DOCS_URL").trim_end_matches('/').to_owned();
        // Unless it is moved elsewhere, the error reference is published by this API: a second address of its own.
        let docs_host = text::absolute_url(&docs_url)
            .and_then(|url| Some((url.host_str()?.to_owned(), url.port_or_known_default())));
        let own = docs_host.into_iter().chain([(self.required("API_HOST"), None)]).collect();
        Installation {
            docs_url,
            webhook_addresses: AddressPolicy {
                own,
                allow_local: Self::optional("ALLOW_LOCAL_WEBHOOKS").as_deref() == Some("true"),
            },
        }
    }

    /// What a function needs that works on the table.
    pub fn context(&mut self, connection: &Connection) -> Context {
        let metrics = Metrics::new(&self.required("METRICS_NAMESPACE"), stdout());
        Context::new(self.store(connection), self.installation(), metrics)
    }
}
