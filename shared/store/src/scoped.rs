//! Access to the items of one organization.

use std::ops::Deref;

use domain::id::OrganizationId;

use crate::store::Store;
use crate::table::Table;

/// Reads the items of one organization and cannot write. A request holds one before its credential is proven, because the
/// credential names the organization: `api::Claim` keeps back what was read until the proof is there.
#[derive(Clone)]
pub struct Reads {
    pub(crate) table: Table,
    pub(crate) organization: OrganizationId,
}

/// The items of one organization: everything that `Reads` reads, and the writes that are a single conditional update.
/// Writes that belong together are a `Change`.
#[derive(Clone)]
pub struct OrganizationStore {
    reads: Reads,
}

impl Store {
    /// The only way to a tenant's items.
    pub fn of(&self, organization: &OrganizationId) -> OrganizationStore {
        OrganizationStore { reads: self.reads_of(organization) }
    }

    /// What a request may hold whose credential is not proven yet.
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
