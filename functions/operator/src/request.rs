//! The operations that can be requested, with their parameters.

use domain::id::{OrganizationId, SessionId};
use domain::identity::member::Role;
use serde::Deserialize;

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
        /// The validity in seconds; 12 hours if absent, which is also the maximum.
        expires_in: Option<u64>,
    },
    /// Creates a link with which a member can sign in once, within 15 minutes. Creates the member if there is none.
    CreateSignInLink {
        organization_id: OrganizationId,
        email: String,
        /// The role of a new member: `OWNER` by default if the organization has no member, else `DEVELOPER`.
        role: Option<Role>,
    },
    /// Lists the sessions that have not expired, newest first, at most 100.
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
    /// Links a number of the AWS account to an organization. Repeating the request changes nothing, and continues an
    /// interrupted one.
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
    /// Disconnects an account of the chat platform from the organization that has it, so that another one can connect
    /// it. Repeating the request changes nothing, and continues an interrupted one.
    ReleaseAccount {
        waba_id: String,
    },
    /// Removes a number from its organization, in live or test mode, as the organization itself can with the API. A
    /// linked number is unlinked first, which takes a minute or two. Repeating the request changes nothing.
    ReleaseNumber {
        organization_id: OrganizationId,
        number: String,
    },
    /// Begins to erase the data of a person, which a job completes. Repeating the request returns the same erasure
    /// while it runs, and begins another run once it is done.
    EraseContact {
        organization_id: OrganizationId,
        /// A phone number, or the platform's user id.
        contact: String,
    },
    /// Shows the progress of an erasure, or its receipt.
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
    /// Revokes the organization's permission to use a queue. From then on, deliveries to it fail.
    DisallowDestination {
        organization_id: OrganizationId,
        arn: String,
    },
    /// Sets how many requests per second an organization may make, or removes the limit. Takes effect within a minute.
    SetLimit {
        organization_id: OrganizationId,
        /// No limit if absent.
        requests_per_second: Option<u32>,
    },
    /// Lists the queues that the organization may use.
    ListDestinations {
        organization_id: OrganizationId,
    },
}
