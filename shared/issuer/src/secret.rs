//! The client secret of this installation, which exists only if the provider wants one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aws::client_config;
use aws::connection::{Connection, OnDemand, on_demand};
use aws::failure::aws_failure;
use aws_sdk_secretsmanager::Client;
use domain::Failure;
use domain::identity::credential::Secret;

/// How long the secret is kept. A changed one takes effect everywhere after this time.
const KEPT: Duration = Duration::from_secs(300);

/// Access to the client secret.
#[derive(Clone)]
pub struct ClientSecret {
    client: OnDemand<Client>,
    name: Arc<str>,
    read: Arc<Mutex<Option<(Instant, Secret)>>>,
}

impl ClientSecret {
    /// Returns access to the secret with a name. It is read when somebody signs in.
    pub fn new(connection: &Connection, name: &str) -> Self {
        let connection = connection.clone();
        ClientSecret {
            client: on_demand(move || Client::from_conf(client_config!(aws_sdk_secretsmanager, &connection).build())),
            name: name.into(),
            read: Arc::default(),
        }
    }

    pub(crate) async fn value(&self) -> Result<Secret, Failure> {
        let known = self.read.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, secret)) = known
            && at.elapsed() < KEPT
        {
            return Ok(secret);
        }

        let read = self.client.get_secret_value().secret_id(&*self.name).send().await;
        let text = read.map_err(|error| aws_failure("Secrets Manager", &error))?.secret_string;
        let secret = Secret::new(text.ok_or_else(|| Failure::internal("the client secret has no text"))?);
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), secret.clone()));
        Ok(secret)
    }
}
