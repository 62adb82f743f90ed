//! The handles on the table: on the whole table, on the items of one organization, and on those of its items that may
//! be read before a credential is verified.

use std::ops::Deref;

use domain::id::OrganizationId;

use crate::engine::table::Table;
use crate::keys;

/// The handle on the whole table. [`Store::of`] gives access to the items of one organization.
#[derive(Clone)]
pub struct Store {
    pub(crate) table: Table,
}

/// Reads of single items of one organization, by their full keys. A request may hold it before its credential is
/// verified: `api::Claim` withholds the items until the credential is verified. It offers no queries, and only batches
/// of a fixed size, because the cost of others would grow with the organization's data.
#[derive(Clone)]
pub struct Reads {
    pub(crate) table: Table,
    pub(crate) organization: OrganizationId,
}

/// Access to the items of one organization, for a verified caller: the reads of `Reads`, queries and batches, and writes
/// that stand alone. Writes that a caller combines form a `Change`.
#[derive(Clone)]
pub struct OrganizationStore {
    reads: Reads,
}

impl Store {
    pub fn new(client: aws_sdk_dynamodb::Client, table: impl Into<String>) -> Self {
        Store { table: Table::new(client, table.into()) }
    }

    /// Returns a store that marks nothing to be counted, because the stream of the table is missing between the two deployments
    /// that renew it.
    #[must_use]
    pub fn without_meter(mut self) -> Self {
        self.table.is_metered = false;
        self
    }

    /// Opens the connection during initialization, when Lambda does not throttle the CPU, by reading an item that does
    /// not exist. A failure is ignored: it will occur again in the first request and be reported there.
    pub async fn warm_up(&self) {
        let _ = self.table.get(&keys::warm_up()).await;
    }

    /// Returns access to the items of one organization.
    pub fn of(&self, organization: &OrganizationId) -> OrganizationStore {
        OrganizationStore { reads: self.reads_of(organization) }
    }

    /// Returns read access for a request whose credential is not verified yet.
    pub fn reads_of(&self, claimed: &OrganizationId) -> Reads {
        Reads { table: self.table.clone(), organization: claimed.clone() }
    }
}

impl Reads {
    pub fn organization_id(&self) -> &OrganizationId {
        &self.organization
    }
}

impl Deref for OrganizationStore {
    type Target = Reads;

    fn deref(&self) -> &Reads {
        &self.reads
    }
}
