//! Secrets Manager: one secret a live profile, and one with the credentials of the installation's app at the platform.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aws::client_config;
use aws::connection::{Connection, OnDemand, on_demand};
use aws::failure::{aws_code, aws_failure};
use aws_sdk_secretsmanager::Client;
use aws_sdk_secretsmanager::error::{ProvideErrorMetadata, SdkError};
use domain::Failure;
use domain::credential::Secret;
use domain::id::ChatBusinessProfileId;
use serde::{Deserialize, Serialize};

use crate::AccessToken;

/// A changed app secret is known everywhere after this.
const APP_CREDENTIALS_CACHED: Duration = Duration::from_secs(300);
/// What was deleted by mistake can be restored for a week.
const RECOVERY_DAYS: i64 = 7;

#[derive(Clone)]
pub struct Vault {
    client: OnDemand<Client>,
    /// Name of the secret with the app's credentials.
    app_secret: Arc<str>,
    /// What names of profiles' secrets begin with.
    prefix: Arc<str>,
    app: Arc<Mutex<Option<(Instant, AppCredentials)>>>,
}

/// The installation's app at the platform.
#[derive(Clone, Debug)]
pub struct AppCredentials {
    /// Two may be valid while one replaces the other.
    pub app_secrets: Vec<Secret>,
    pub verify_token: Secret,
}

/// The token of a profile, and the two-step PIN that its numbers are registered with.
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AppDocument {
    app_secret: String,
    previous_app_secret: Option<String>,
    /// Without one no handshake is answered; notifications need none.
    #[serde(default)]
    verify_token: String,
}

fn failure<E: ProvideErrorMetadata>(error: &SdkError<E>) -> Failure {
    aws_failure("Secrets Manager", error)
}

impl Vault {
    pub fn new(connection: &Connection, app_secret: String, prefix: String) -> Self {
        let connection = connection.clone();
        Vault {
            client: on_demand(move || Client::from_conf(client_config!(aws_sdk_secretsmanager, &connection).build())),
            app_secret: app_secret.into(),
            prefix: prefix.into(),
            app: Arc::default(),
        }
    }

    /// Reads the app's credentials ahead. Where that fails, whoever needs them says so.
    pub async fn warm_up(&self) {
        let _ = self.app().await;
    }

    pub async fn app(&self) -> Result<AppCredentials, Failure> {
        if let Some((read, credentials)) = self.app.lock().unwrap_or_else(PoisonError::into_inner).clone()
            && read.elapsed() < APP_CREDENTIALS_CACHED
        {
            return Ok(credentials);
        }
        let text = self.read(&self.app_secret).await?;
        let text = text.ok_or_else(|| Failure::internal("the secret of the platform app does not exist"))?;
        let document: AppDocument = serde_json::from_str(&text)
            .map_err(|_| Failure::internal("the secret of the platform app is malformed"))?;
        let secrets = [Some(document.app_secret), document.previous_app_secret].into_iter().flatten();
        let credentials = AppCredentials {
            app_secrets: secrets.filter(|secret| !secret.is_empty()).map(Secret::new).collect(),
            verify_token: Secret::new(document.verify_token),
        };
        *self.app.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), credentials.clone()));
        Ok(credentials)
    }

    fn name(&self, profile: &ChatBusinessProfileId) -> String {
        format!("{}{profile}", self.prefix)
    }

    pub async fn profile(&self, profile: &ChatBusinessProfileId) -> Result<Option<ProfileSecret>, Failure> {
        let Some(text) = self.read(&self.name(profile)).await? else { return Ok(None) };
        let document: ProfileDocument =
            serde_json::from_str(&text).map_err(|_| Failure::internal("the secret of a profile is malformed"))?;
        Ok(Some(ProfileSecret { access_token: Secret::new(document.access_token), pin: Secret::new(document.pin) }))
    }

    /// `None` also where the secret waits for its deletion.
    async fn read(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.client.get_secret_value().secret_id(name).send().await {
            Ok(answer) => Ok(answer.secret_string),
            Err(error) if matches!(aws_code(&error), Some("ResourceNotFoundException" | "InvalidRequestException")) => {
                Ok(None)
            }
            Err(error) => Err(failure(&error)),
        }
    }

    /// Creates, overwrites or restores the profile's secret.
    pub async fn keep(&self, profile: &ChatBusinessProfileId, secret: &ProfileSecret) -> Result<(), Failure> {
        let document = ProfileDocument {
            access_token: secret.access_token.expose().to_owned(),
            pin: secret.pin.expose().to_owned(),
        };
        let text = serde_json::to_string(&document).map_err(Failure::internal)?;
        let name = self.name(profile);
        let created = self.client.create_secret().name(&name).secret_string(&text).send().await;
        match created {
            Ok(_) => return Ok(()),
            Err(error) if aws_code(&error) == Some("ResourceExistsException") => {}
            // It waits for its deletion.
            Err(error) if aws_code(&error) == Some("InvalidRequestException") => self.restore(&name).await?,
            Err(error) => return Err(failure(&error)),
        }
        let put = self.client.put_secret_value().secret_id(&name).secret_string(&text).send().await;
        match put {
            Ok(_) => Ok(()),
            Err(error) if aws_code(&error) == Some("InvalidRequestException") => {
                self.restore(&name).await?;
                let again = self.client.put_secret_value().secret_id(&name).secret_string(&text).send().await;
                again.map(|_| ()).map_err(|error| failure(&error))
            }
            Err(error) => Err(failure(&error)),
        }
    }

    async fn restore(&self, name: &str) -> Result<(), Failure> {
        self.client.restore_secret().secret_id(name).send().await.map(|_| ()).map_err(|error| failure(&error))
    }

    /// For an onboarding that was given up. What is not there is gone already.
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
