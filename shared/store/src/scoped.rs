//! Access to the items of one organization.

use std::ops::Deref;

use domain::id::OrganizationId;

use crate::store::Store;
use crate::table::Table;

/// Read access to the items of one organization. A request holds it before its credential is verified, because the
/// credential names the organization: `api::Claim` withholds what was read until the credential is verified.
#[derive(Clone)]
pub struct Reads {
    pub(crate) table: Table,
    pub(crate) organization: OrganizationId,
}

/// Access to the items of one organization: all reads of `Reads`, and writes that consist of a single conditional
/// update. Writes that belong together form a `Change`.
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
