//! Operations that the owner of an installation invokes directly, authorized by IAM and without an API key: creating
//! organizations and admin keys, creating, listing and revoking sessions, linking phone numbers to the carrier,
//! releasing accounts of the chat platform, limiting the requests of organizations, allowing queues as addresses of webhooks, erasing contacts, and deleting
//! organizations. They also restore access after the last admin key of an organization was deleted.

mod accounts;
mod deletions;
mod destinations;
mod erasures;
mod limits;
mod numbers;
mod organizations;
mod reply;
mod request;
mod sessions;
mod shown;
mod sign_in;

use aws::bucket::Bucket;
use aws::origin;
use carrier::CarrierNumbers;
use domain::Mode;
use domain::audit::{Entry, Retention, Trail};
use domain::events::webhook::ListedQueues;
use domain::port::{Clock, Random, SystemClock};
use platform::Platforms;
use ring::rand::SystemRandom;
use runtime::Environment;
use store::Store;

pub use reply::{Refusal, Reply};
pub use request::Request;
pub use shown::ListedSession;

/// Performs the operations on the table.
pub struct Operator {
    store: Store,
    /// The carrier's numbers; `None` if this installation has no carrier.
    carrier: Option<CarrierNumbers>,
    platforms: Platforms,
    /// The queues that organizations may be allowed to use.
    listed: ListedQueues,
    /// The bucket, which only the deletion of an organization needs.
    bucket: Option<Bucket>,
    clock: Box<dyn Clock>,
    random: Box<dyn Random>,
    audit_retention: Retention,
    /// The base URL of the API, without a trailing slash.
    api_url: String,
}

impl Operator {
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let carrier = CarrierNumbers::from_environment(&connection, Environment::optional);
        let listed = Environment::optional("EVENT_DESTINATIONS").unwrap_or_default();
        let listed = ListedQueues::new(&connection.region, &listed);
        let platforms = platform::from_environment(&connection, |name| environment.required(name))?;
        let bucket = Bucket::new(&connection, environment.required("BUCKET_NAME"));
        let store = environment.store(&connection);
        let operator = Self::with_clock(store, carrier, platforms, listed, Box::new(SystemClock));
        let api_url = environment.required("API_URL").trim_end_matches('/').to_owned();
        let audit_retention = Environment::audit_retention();
        Ok(Operator { audit_retention, api_url, ..operator.with_bucket(bucket) })
    }

    /// Sets the bucket, which deleting an organization needs.
    #[must_use]
    pub fn with_bucket(self, bucket: Bucket) -> Self {
        Operator { bucket: Some(bucket), ..self }
    }

    pub fn with_clock(
        store: Store,
        carrier: Option<CarrierNumbers>,
        platforms: Platforms,
        listed: ListedQueues,
        clock: Box<dyn Clock>,
    ) -> Self {
        let (random, audit_retention) = (Box::new(SystemRandom::new()), Retention::default());
        let api_url = String::new();
        Operator { store, carrier, platforms, listed, bucket: None, clock, random, audit_retention, api_url }
    }

    /// Returns an entry of an organization's audit log for an operation.
    fn entry(&self, action: &'static str, mode: Mode) -> Entry {
        let (trail, now) = (Trail::of_operator(action), self.clock.now());
        Entry::new(&trail, mode, now, self.random.as_ref(), self.audit_retention, origin::current())
    }

    /// Performs one operation.
    pub async fn perform(&self, request: Request) -> Result<Reply, Refusal> {
        let reply = match request {
            Request::CreateOrganization { name, request_id } => self.create_organization(&name, request_id).await,
            Request::CreateAdminKey { organization_id, name, test } => {
                self.create_admin_key(&organization_id, name.as_deref().unwrap_or("Operator"), test).await
            }
            Request::CreateSession { organization_id, expires_in } => {
                self.create_session(&organization_id, expires_in).await
            }
            Request::CreateSignInLink { organization_id, email, role } => {
                self.create_sign_in_link(&organization_id, &email, role).await
            }
            Request::ListSessions { organization_id, before } => self.list_sessions(&organization_id, before).await,
            Request::RevokeSession { session_token } => self.revoke_session(&session_token).await,
            Request::RevokeSessions { organization_id, session_id: Some(id) } => {
                self.revoke_session_by_id(&organization_id, &id).await
            }
            Request::RevokeSessions { organization_id, session_id: None } => {
                self.revoke_all_sessions(&organization_id).await
            }
            Request::LinkPhoneNumber { organization_id, number, countries } => {
                self.link_phone_number(&organization_id, &number, countries.as_deref()).await
            }
            Request::UnlinkPhoneNumber { organization_id, number } => {
                self.unlink_phone_number(&organization_id, &number).await
            }
            Request::ReleaseAccount { waba_id } => self.release_account(&waba_id).await,
            Request::ReleaseNumber { organization_id, number } => self.release_number(&organization_id, &number).await,
            Request::EraseContact { organization_id, contact } => self.erase_contact(&organization_id, &contact).await,
            Request::ShowErasure { organization_id, contact } => self.show_erasure(&organization_id, &contact).await,
            Request::DeleteOrganization { organization_id, confirm } => {
                Box::pin(self.delete_organization(&organization_id, &confirm)).await
            }
            Request::AllowDestination { organization_id, arn } => self.allow_destination(&organization_id, &arn).await,
            Request::DisallowDestination { organization_id, arn } => {
                self.disallow_destination(&organization_id, &arn).await
            }
            Request::SetLimit { organization_id, requests_per_second } => {
                self.set_limit(&organization_id, requests_per_second).await
            }
            Request::ListDestinations { organization_id } => self.list_destinations(&organization_id).await,
        };
        Ok(reply?)
    }
}
