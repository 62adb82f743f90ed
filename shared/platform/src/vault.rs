//! Secrets Manager: one secret per live profile, one per live number whose two-step PIN a caller has chosen (in
//! `pins`), and one with the credentials of the installation's app at the platform. The app's credentials are cached here; the access tokens of profiles that send messages are in `sending`.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aws::client_config;
use aws::connection::{Connection, OnDemand, on_demand};
use aws::failure::{aws_code, aws_failure};
use aws_sdk_secretsmanager::Client;
use aws_sdk_secretsmanager::error::{ProvideErrorMetadata, SdkError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::Failure;
use domain::id::ChatBusinessProfileId;
use domain::identity::credential::Secret;
use serde::{Deserialize, Serialize};

/// A business token. It never appears in responses or logs.
pub type AccessToken = Secret;

/// How long the app's credentials are cached. A changed app secret takes effect everywhere after this time.
const APP_CREDENTIALS_CACHED: Duration = Duration::from_secs(300);
/// How long a deleted secret can be restored.
const RECOVERY_DAYS: i64 = 7;

/// Access to the secrets.
#[derive(Clone)]
pub struct Vault {
    client: OnDemand<Client>,
    /// The name of the secret with the app's credentials.
    app_secret: Arc<str>,
    /// The prefix of the names of the profiles' secrets.
    prefix: Arc<str>,
    app: Arc<Mutex<Option<(Instant, AppCredentials)>>>,
}

/// The credentials of the installation's app at the platform.
#[derive(Clone, Debug)]
pub struct AppCredentials {
    /// The current secret and, during a rotation, the previous one.
    pub app_secrets: Vec<Secret>,
    pub verify_token: Secret,
}

/// The access token of a profile, and the two-step verification PIN that its numbers are registered with.
#[derive(Clone, Debug)]
pub struct ProfileSecret {
    pub access_token: AccessToken,
    pub pin: Secret,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProfileDocument {
    access_token: String,
    pin: String,
}

/// The values are base64: the template encodes them, so that no character of a value can end its JSON string.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AppDocument {
    app_secret: String,
    #[serde(default)]
    previous_app_secret: String,
    /// If empty, the webhook handshake is rejected. Notifications do not need it.
    #[serde(default)]
    verify_token: String,
}

impl AppDocument {
    /// Returns the credentials, or `None` if a value is not base64 of UTF-8 text.
    fn credentials(&self) -> Option<AppCredentials> {
        let decode = |value: &str| String::from_utf8(STANDARD.decode(value).ok()?).ok();
        let secrets = [decode(&self.app_secret)?, decode(&self.previous_app_secret)?].into_iter();
        Some(AppCredentials {
            app_secrets: secrets.filter(|secret| !secret.is_empty()).map(Secret::new).collect(),
            verify_token: Secret::new(decode(&self.verify_token)?),
        })
    }
}

fn failure<E: ProvideErrorMetadata>(error: &SdkError<E>) -> Failure {
    aws_failure("Secrets Manager", error)
}

impl Vault {
    /// Returns access to the app's secret named `app_secret`, and to profiles' secrets whose names start with `prefix`.
    pub fn new(connection: &Connection, app_secret: String, prefix: String) -> Self {
        let connection = connection.clone();
        Vault {
            client: on_demand(move || Client::from_conf(client_config!(aws_sdk_secretsmanager, &connection).build())),
            app_secret: app_secret.into(),
            prefix: prefix.into(),
            app: Arc::default(),
        }
    }

    /// Reads the app's credentials into the cache. A failure is ignored here and reported when the credentials are
    /// needed.
    pub async fn warm_up(&self) {
        let _ = self.app().await;
    }

    /// Returns the app's credentials, cached for five minutes.
    pub async fn app(&self) -> Result<AppCredentials, Failure> {
        if let Some((read, credentials)) = self.app.lock().unwrap_or_else(PoisonError::into_inner).clone()
            && read.elapsed() < APP_CREDENTIALS_CACHED
        {
            return Ok(credentials);
        }
        let text = self.read(&self.app_secret).await?;
        let text = text.ok_or_else(|| Failure::internal("the secret of the platform app does not exist"))?;
        let document: Option<AppDocument> = serde_json::from_str(&text).ok();
        let credentials = document.and_then(|document| document.credentials());
        let credentials =
            credentials.ok_or_else(|| Failure::internal("the secret of the platform app is malformed"))?;
        *self.app.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), credentials.clone()));
        Ok(credentials)
    }

    /// Returns the name of the secret of a profile or a number.
    pub(crate) fn name(&self, id: &impl Display) -> String {
        format!("{}{id}", self.prefix)
    }

    /// Returns the secret of a profile, or `None` if there is none.
    pub async fn profile(&self, profile: &ChatBusinessProfileId) -> Result<Option<ProfileSecret>, Failure> {
        let Some(text) = self.read(&self.name(profile)).await? else { return Ok(None) };
        let document: ProfileDocument =
            serde_json::from_str(&text).map_err(|_| Failure::internal("the secret of a profile is malformed"))?;
        Ok(Some(ProfileSecret { access_token: Secret::new(document.access_token), pin: Secret::new(document.pin) }))
    }

    /// Returns a secret; `None` if there is none, or if it is scheduled for deletion.
    pub(crate) async fn read(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.client.get_secret_value().secret_id(name).send().await {
            Ok(output) => Ok(output.secret_string),
            Err(error) if matches!(aws_code(&error), Some("ResourceNotFoundException" | "InvalidRequestException")) => {
                Ok(None)
            }
            Err(error) => Err(failure(&error)),
        }
    }

    /// Creates or overwrites the profile's secret, and restores it if it is scheduled for deletion.
    pub async fn keep(&self, profile: &ChatBusinessProfileId, secret: &ProfileSecret) -> Result<(), Failure> {
        let document = ProfileDocument {
            access_token: secret.access_token.expose().to_owned(),
            pin: secret.pin.expose().to_owned(),
        };
        let text = serde_json::to_string(&document).map_err(Failure::internal)?;
        self.write(&self.name(profile), &text).await
    }

    /// Creates or overwrites a secret, and restores it if it is scheduled for deletion.
    pub(crate) async fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let created = self.client.create_secret().name(name).secret_string(text).send().await;
        match created {
            Ok(_) => return Ok(()),
            Err(error) if aws_code(&error) == Some("ResourceExistsException") => {}
            // The secret is scheduled for deletion.
            Err(error) if aws_code(&error) == Some("InvalidRequestException") => self.restore(name).await?,
            Err(error) => return Err(failure(&error)),
        }

        let put = self.client.put_secret_value().secret_id(name).secret_string(text).send().await;
        match put {
            Ok(_) => Ok(()),
            Err(error) if aws_code(&error) == Some("InvalidRequestException") => {
                self.restore(name).await?;
                let retried = self.client.put_secret_value().secret_id(name).secret_string(text).send().await;
                retried.map(|_| ()).map_err(|error| failure(&error))
            }
            Err(error) => Err(failure(&error)),
        }
    }

    async fn restore(&self, name: &str) -> Result<(), Failure> {
        self.client.restore_secret().secret_id(name).send().await.map(|_| ()).map_err(|error| failure(&error))
    }

    /// Deletes the secret of a disconnected profile for good. Succeeds if there is none.
    pub async fn erase(&self, profile: &ChatBusinessProfileId) -> Result<(), Failure> {
        self.delete(&self.name(profile)).await
    }

    /// Deletes a secret for good. Succeeds if there is none.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), Failure> {
        let call = self.client.delete_secret().secret_id(name).force_delete_without_recovery(true);
        match call.send().await {
            Ok(_) => Ok(()),
            Err(error) if aws_code(&error) == Some("ResourceNotFoundException") => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    }

    /// Deletes the secret of an abandoned onboarding. Succeeds if there is none.
    pub async fn discard(&self, profile: &ChatBusinessProfileId) -> Result<(), Failure> {
        let call = self.client.delete_secret().secret_id(self.name(profile)).recovery_window_in_days(RECOVERY_DAYS);
        match call.send().await {
            Ok(_) => Ok(()),
            Err(error) if matches!(aws_code(&error), Some("ResourceNotFoundException" | "InvalidRequestException")) => {
                Ok(())
            }
            Err(error) => Err(failure(&error)),
        }
    }
}
