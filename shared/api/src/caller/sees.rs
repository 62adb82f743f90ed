//! Which objects a caller may see and create, by its mode.

use domain::audit::Trail;
use domain::id::OrganizationId;
use domain::{Failure, Mode};

use super::{Admin, OrgMember};
use crate::may_see::MaySee;

/// A caller whose mode determines which objects are visible.
pub trait Sees {
    fn organization(&self) -> &OrganizationId;

    fn mode(&self) -> Mode;

    fn may_see(&self) -> MaySee;

    /// Returns who the caller is, for the audit log.
    fn trail(&self) -> &Trail;

    /// Fails with 404 if objects of this mode are hidden from the caller.
    fn expect_visible(&self, mode: Mode, param: &str, what: &str) -> Result<(), Failure> {
        if self.mode().sees(mode) { Ok(()) } else { Err(Failure::not_found(param, what)) }
    }
}

impl Sees for Admin {
    fn organization(&self) -> &OrganizationId {
        &self.organization
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn may_see(&self) -> MaySee {
        self.may_see
    }

    fn trail(&self) -> &Trail {
        &self.trail
    }
}

impl Sees for OrgMember {
    fn organization(&self) -> &OrganizationId {
        &self.organization
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn may_see(&self) -> MaySee {
        self.may_see
    }

    fn trail(&self) -> &Trail {
        &self.trail
    }
}

impl Admin {
    /// Returns the mode of a new object: a live key can choose it, a test key creates test objects only.
    pub fn mode_of_new(&self, test: Option<bool>) -> Result<Mode, Failure> {
        match (self.mode, test) {
            (Mode::Live, Some(true)) => Ok(Mode::Test),
            (Mode::Live, _) => Ok(Mode::Live),
            (Mode::Test, Some(false)) => {
                let message = "A test admin key can only create test objects. Omit test or set it to true.";
                Err(Failure::forbidden(message).with_param("test"))
            }
            (Mode::Test, _) => Ok(Mode::Test),
        }
    }

    /// Fails with 403 for a test key.
    pub fn require_live(&self) -> Result<(), Failure> {
        match self.mode {
            Mode::Live => Ok(()),
            Mode::Test => Err(Failure::forbidden(
                "This operation takes a live admin key, but this is a test admin key. Use a live one.",
            )),
        }
    }
}
