//! Operations that the owner of an installation invokes directly, authorized by IAM and without an API key: creating
//! organizations and admin keys, creating, listing and revoking sessions, linking phone numbers to the carrier, releasing
//! accounts of the chat platform, allowing queues as addresses of webhooks, erasing contacts, and deleting organizations.
//! They also restore access after the last admin key of an organization is gone.

mod accounts;
mod deletions;
mod destinations;
mod erasures;
mod numbers;
mod organizations;
mod sessions;
mod shown;

use std::collections::BTreeSet;

use aws::bucket::Bucket;
use carrier::CarrierNumbers;
use domain::carrier_link::{Capability, CarrierStatus};
use domain::country::Country;
use domain::id::{AdminKeyId, OrganizationId, PhoneNumberId, SessionId};
use domain::port::{Clock, Random, SystemClock};
use domain::webhook::{Destination, ListedQueues};
use domain::{E164, Failure, Open, Timestamp};
use lambda_runtime::Diagnostic;
use platform::Platforms;
use ring::rand::SystemRandom;
use runtime::Environment;
use serde::{Deserialize, Serialize};
use store::Store;

use crate::shown::{AccountStatus, ReleasedAccount, ShownDeletion, ShownErasure};

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
    /// Lists the sessions that have not expired, newest first, 100 at most.
    ListSessions {
        organization_id: OrganizationId,
        /// Continues after this session: the last one of the previous reply.
        before: Option<SessionId>,
    },
    RevokeSession {
        session_token: String,
    },
    /// Revokes one session of an organization by its id, or all of them.
    RevokeSessions {
        organization_id: OrganizationId,
        session_id: Option<SessionId>,
    },
    /// Links a number of the AWS account to an organization. Repeating the request changes nothing, and continues what an
    /// interrupted one began.
    LinkPhoneNumber {
        organization_id: OrganizationId,
        number: String,
        /// The countries to which the number may send; only its own if absent.
        countries: Option<Vec<String>>,
    },
    /// Begins to unlink a number, which takes a minute or two. The organization keeps it.
    UnlinkPhoneNumber {
        organization_id: OrganizationId,
        number: String,
    },
    /// Disconnects an account of the chat platform from the organization that has it, so that another one can connect it.
    /// Repeating the request changes nothing, and continues what an interrupted one began.
    ReleaseAccount {
        waba_id: String,
    },
    /// Takes a number from its organization, in live or test mode, as the organization itself can with the API. A linked number
    /// is unlinked first, which takes a minute or two. Repeating the request changes nothing.
    ReleaseNumber {
        organization_id: OrganizationId,
        number: String,
    },
    /// Begins to erase what is stored about a person, which a job does. Repeating the request returns the same erasure while it
    /// runs, and begins another run once it is done.
    EraseContact {
        organization_id: OrganizationId,
        /// A phone number, or the platform's user id.
        contact: String,
    },
    /// Shows how far an erasure is, or its receipt.
    ShowErasure {
        organization_id: OrganizationId,
        contact: String,
    },
    /// Ends all access to an organization at once and deletes a part of it. Repeating the request continues; once nothing is
    /// left, it returns the receipt.
    DeleteOrganization {
        organization_id: OrganizationId,
        /// The organization's slug.
        confirm: String,
    },
    /// Lets the organization use a queue as the address of webhooks. The queue must be one of the installation's parameter
    /// `EventDestinations`. Repeating the request changes nothing.
    AllowDestination {
        organization_id: OrganizationId,
        arn: String,
    },
    /// Takes a queue from the organization. From then on, deliveries to it fail.
    DisallowDestination {
        organization_id: OrganizationId,
        arn: String,
    },
    /// Lists the queues that the organization may use.
    ListDestinations {
        organization_id: OrganizationId,
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
        id: SessionId,
        session_token: String,
        expires_at: Timestamp,
    },
    #[serde(rename_all = "camelCase")]
    Sessions {
        sessions: Vec<ListedSession>,
        /// Whether there are more; pass the id of the last session as `before`.
        has_more: bool,
    },
    Revoked {
        revoked: usize,
    },
    /// A number and its link, after a change.
    #[serde(rename_all = "camelCase")]
    PhoneNumber {
        phone_number_id: PhoneNumberId,
        number: E164,
        carrier_status: CarrierStatus,
        capabilities: Vec<Open<Capability>>,
        country: Option<Country>,
        /// The countries to which the number may send.
        countries: BTreeSet<Country>,
    },
    /// The receipt of a released account.
    #[serde(rename_all = "camelCase")]
    Account {
        waba_id: String,
        status: AccountStatus,
        /// The organization from which it was released, with what it keeps: the profile and its numbers.
        #[serde(flatten)]
        released: Option<ReleasedAccount>,
    },
    /// All queues that an organization may use, after a change.
    Destinations {
        destinations: Vec<Destination>,
    },
    /// An erasure that runs, or the receipt of one that is done.
    Erasure(Box<ShownErasure>),
    /// The deletion of an organization, or its receipt.
    Deletion(Box<ShownDeletion>),
    /// What became of a number that the operator has released.
    #[serde(rename_all = "camelCase")]
    Released {
        number: E164,
        /// `RELEASING` while the number is unlinked from the carrier, and then gone; `None` once the organization does not have
        /// it.
        carrier_status: Option<CarrierStatus>,
    },
    Message {
        message: &'static str,
    },
}

/// A session as the list shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    id: SessionId,
    created_at: Timestamp,
    expires_at: Timestamp,
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
    /// The carrier's numbers; `None` if this installation has no carrier.
    carrier: Option<CarrierNumbers>,
    platforms: Platforms,
    /// The queues that organizations may be allowed to use.
    listed: ListedQueues,
    /// The bucket, of which only the deletion of an organization needs anything.
    bucket: Option<Bucket>,
    clock: Box<dyn Clock>,
    random: Box<dyn Random>,
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
        Ok(operator.with_bucket(bucket))
    }

    /// Gives the operator what deleting an organization needs.
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
        Operator { store, carrier, platforms, listed, bucket: None, clock, random: Box::new(SystemRandom::new()) }
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
            Request::ListDestinations { organization_id } => self.list_destinations(&organization_id).await,
        };
        Ok(reply?)
    }
}
