//! Access to the items of one organization.

use std::ops::Deref;

use domain::id::OrganizationId;

use crate::store::Store;
use crate::table::Table;

/// Reads of single items of one organization, by their full keys. A request may hold it before its credential is
/// verified: `api::Claim` withholds what was read until the credential is verified. It offers no queries, and only
/// batches of a fixed size, because the cost of others would grow with the organization's data.
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
