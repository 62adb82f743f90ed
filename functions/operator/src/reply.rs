//! The results of the operations, and the error that the invoker receives instead.

use std::collections::BTreeSet;

use domain::events::webhook::Destination;
use domain::id::{AdminKeyId, MemberId, OrganizationId, PhoneNumberId, SessionId};
use domain::identity::member::Role;
use domain::number::country::Country;
use domain::sms::carrier_link::{Capability, CarrierStatus};
use domain::{E164, Failure, Open, Timestamp};
use lambda_runtime::Diagnostic;
use serde::Serialize;

use crate::shown::{AccountStatus, ListedSession, ReleasedAccount, ShownDeletion, ShownErasure};

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
    /// A link with which a member can sign in once.
    #[serde(rename_all = "camelCase")]
    SignInLink {
        url: String,
        expires_at: Timestamp,
        member_id: MemberId,
        role: Role,
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
    /// The rate limit of an organization, after a change.
    #[serde(rename_all = "camelCase")]
    Limit {
        organization_id: OrganizationId,
        /// `None` without a limit.
        requests_per_second: Option<u32>,
    },
    /// An erasure that runs, or the receipt of one that is done.
    Erasure(Box<ShownErasure>),
    /// The deletion of an organization, or its receipt.
    Deletion(Box<ShownDeletion>),
    /// The state of a number that the operator has released.
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
