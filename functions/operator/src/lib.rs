//! Operations that the owner of an installation invokes directly, authorized by IAM and without an API key: creating
//! organizations, admin keys and sessions, and revoking sessions. They also restore access after the last admin key of an
//! organization is gone.

use std::time::Duration;

use domain::credential::{Bearer, CredentialKind, Secret};
use domain::id::{AdminKeyId, OrganizationId, SessionId};
use domain::key::{AdminKey, Credential, Holder};
use domain::organization::{DEFAULT_MEDIA_RETENTION_DAYS, Organization};
use domain::port::{Clock, Random, SystemClock, random_bytes};
use domain::{Failure, Mode, Timestamp, text};
use lambda_runtime::Diagnostic;
use ring::rand::SystemRandom;
use runtime::Environment;
use serde::{Deserialize, Serialize};
use store::{Change, Store};

const LONGEST_SESSION_SECONDS: u64 = 12 * 3600;
const SLUG_ATTEMPTS: u32 = 8;

/// The payload of an invocation.
#[derive(Debug, Deserialize)]
#[serde(tag = "operation", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Request {
    CreateOrganization {
        name: String,
        /// Makes the request idempotent: a request with an id that was used before returns the organization of the first
        /// request instead of creating another.
        request_id: Option<String>,
    },
    CreateAdminKey {
        organization_id: OrganizationId,
        name: Option<String>,
        #[serde(default)]
        test: bool,
    },
    CreateSession {
        organization_id: OrganizationId,
        /// In seconds; 12 hours if absent, which is also the maximum.
        expires_in: Option<u64>,
    },
    RevokeSession {
        session_token: String,
    },
}

/// The result of an invocation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase", untagged)]
pub enum Reply {
    #[serde(rename_all = "camelCase")]
    Organization {
        organization_id: OrganizationId,
        admin_key: String,
        test_admin_key: String,
        session_token: String,
    },
    #[serde(rename_all = "camelCase")]
    AdminKey {
        id: AdminKeyId,
        admin_key: String,
    },
    #[serde(rename_all = "camelCase")]
    Session {
        session_token: String,
        expires_at: Timestamp,
    },
    Message {
        message: &'static str,
    },
}

/// The error that the invoker receives: which field is wrong and why. Internal causes are only logged.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        if let Some(cause) = failure.cause() {
            tracing::error!("operation failed: {cause}");
        }
        let param = failure.param().map(|param| format!("{param}: ")).unwrap_or_default();
        Refusal(format!("{param}{}", failure.message()))
    }
}

impl From<Refusal> for Diagnostic {
    fn from(refusal: Refusal) -> Self {
        Diagnostic { error_type: "Refused".to_owned(), error_message: refusal.0 }
    }
}

/// Performs the operations on the table.
pub struct Operator {
    store: Store,
    clock: Box<dyn Clock>,
    random: Box<dyn Random>,
}

impl Operator {
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        Ok(Self::with_clock(environment.store(&connection), Box::new(SystemClock)))
    }

    pub fn with_clock(store: Store, clock: Box<dyn Clock>) -> Self {
        Operator { store, clock, random: Box::new(SystemRandom::new()) }
    }

    /// Performs one operation.
    pub async fn perform(&self, request: Request) -> Result<Reply, Refusal> {
        let reply = match request {
            Request::CreateOrganization { name, request_id } => self.create_organization(&name, request_id).await,
            Request::CreateAdminKey { organization_id, name, test } => {
                self.create_admin_key(&organization_id, name.as_deref().unwrap_or("Operator"), test).await
            }
            Request::CreateSession { organization_id, expires_in } => {
                self.create_session(&organization_id, expires_in.unwrap_or(LONGEST_SESSION_SECONDS)).await
            }
            Request::RevokeSession { session_token } => self.revoke_session(&session_token).await,
        };
        Ok(reply?)
    }

    fn admin_key(&self, organization: &OrganizationId, name: &str, mode: Mode) -> (AdminKey, Secret) {
        let now = self.clock.now();
        let bearer = Bearer::mint(CredentialKind::AdminKey, organization, self.random.as_ref());
        let key = AdminKey {
            id: AdminKeyId::mint(mode, now, self.random.as_ref()),
            name: name.to_owned(),
            last_four: bearer.secret.last_four().to_owned(),
            value_hash: bearer.secret.sha256(),
            expires_at: None,
            created_at: now,
        };
        (key, bearer.secret)
    }

    /// Adds a new session to the change. Returns its token and when it expires.
    fn session(
        &self,
        organization: &OrganizationId,
        seconds: u64,
        change: &mut Change,
    ) -> Result<(Secret, Timestamp), Failure> {
        let expires_at = self.clock.now().plus(Duration::from_secs(seconds));
        let bearer = Bearer::mint(CredentialKind::Session, organization, self.random.as_ref());
        let session_id = SessionId::mint(self.clock.now(), self.random.as_ref());
        let credential = Credential {
            organization_id: organization.clone(),
            holder: Holder::Session { session_id },
            expires_at: Some(expires_at),
        };
        change.create_credential(&bearer.secret.sha256(), &credential)?;
        Ok((bearer.secret, expires_at))
    }

    async fn create_organization(&self, name: &str, request_id: Option<String>) -> Result<Reply, Failure> {
        let name = text::name(name, "name")?;
        let request_id = request_id.map(|id| text::name(&id, "requestId")).transpose()?;
        if let Some(request_id) = &request_id
            && let Some(existing) = self.store.organization_of_request(request_id).await?
        {
            return self.welcome(&existing).await;
        }
        let suggested = text::slug_of_name(&name, "organization");
        let mut slug = suggested.clone();
        for _ in 0..SLUG_ATTEMPTS {
            let now = self.clock.now();
            let organization = Organization {
                id: OrganizationId::mint(now, self.random.as_ref()),
                name: name.clone(),
                slug,
                media_retention_days: DEFAULT_MEDIA_RETENTION_DAYS,
                created_at: now,
                updated_at: now,
            };
            if self.store.create_organization(&organization, request_id.as_deref()).await? {
                return self.welcome(&organization.id).await;
            }
            if let Some(request_id) = &request_id
                && let Some(existing) = self.store.organization_of_request(request_id).await?
            {
                return self.welcome(&existing).await;
            }
            let suffix = domain::credential::hex(&random_bytes::<3>(self.random.as_ref()));
            slug = text::slug_with_suffix(&suggested, &suffix);
        }
        Err(Failure::conflict("No free slug was found for this name. Retry the request."))
    }

    /// Creates two admin keys and a session in one transaction. A repeated request gets new ones, because the values of the
    /// first ones were only shown once.
    async fn welcome(&self, organization: &OrganizationId) -> Result<Reply, Failure> {
        let (live, live_value) = self.admin_key(organization, "First admin key", Mode::Live);
        let (test, test_value) = self.admin_key(organization, "First test admin key", Mode::Test);
        let mut change = Change::new(organization);
        change.create_admin_keys_without_limit(&[&live, &test])?;
        let (session, _) = self.session(organization, LONGEST_SESSION_SECONDS, &mut change)?;
        self.store.commit(&change).await?;
        Ok(Reply::Organization {
            organization_id: organization.clone(),
            admin_key: live_value.expose().to_owned(),
            test_admin_key: test_value.expose().to_owned(),
            session_token: session.expose().to_owned(),
        })
    }

    async fn create_admin_key(&self, organization: &OrganizationId, name: &str, test: bool) -> Result<Reply, Failure> {
        let name = text::name(name, "name")?;
        let (key, value) = self.admin_key(organization, &name, if test { Mode::Test } else { Mode::Live });
        let mut change = Change::new(organization);
        change.require_organization();
        change.create_admin_keys_without_limit(&[&key])?;
        self.store.commit(&change).await?;
        Ok(Reply::AdminKey { id: key.id, admin_key: value.expose().to_owned() })
    }

    async fn create_session(&self, organization: &OrganizationId, seconds: u64) -> Result<Reply, Failure> {
        if !(1..=LONGEST_SESSION_SECONDS).contains(&seconds) {
            let message = format!("expiresIn must be from 1 to {LONGEST_SESSION_SECONDS} seconds.");
            return Err(Failure::invalid("expiresIn", message));
        }
        let mut change = Change::new(organization);
        change.require_organization();
        let (token, expires_at) = self.session(organization, seconds, &mut change)?;
        self.store.commit(&change).await?;
        Ok(Reply::Session { session_token: token.expose().to_owned(), expires_at })
    }

    /// Succeeds for unknown tokens too, so that revoking is idempotent.
    async fn revoke_session(&self, token: &str) -> Result<Reply, Failure> {
        let bearer = Bearer::parse(token).filter(|bearer| bearer.kind == CredentialKind::Session);
        let bearer = bearer.ok_or_else(|| Failure::invalid("sessionToken", "sessionToken must be a session token."))?;
        let mut change = Change::new(&bearer.organization);
        change.delete_credential(&bearer.secret.sha256());
        self.store.commit(&change).await?;
        Ok(Reply::Message { message: "Session revoked" })
    }
}
