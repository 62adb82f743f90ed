//! The platform's reviews of accounts and of display names. The set of outcomes is closed: an unknown outcome is logged
//! and changes nothing.

use serde::{Deserialize, Serialize};

use crate::Open;

/// The outcome of a review of an account or a display name by WhatsApp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ReviewOutcome {
    Approved,
    Rejected,
    Pending,
    Deferred,
}

impl ReviewOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewOutcome::Approved => "APPROVED",
            ReviewOutcome::Rejected => "REJECTED",
            ReviewOutcome::Pending => "PENDING",
            ReviewOutcome::Deferred => "DEFERRED",
        }
    }

    /// Returns the outcome of a review as the platform reports it, in any letter case. For display names, the platform
    /// also uses other words for the same outcomes.
    pub fn of_platform(platform: &str) -> Open<Self> {
        match platform.to_ascii_uppercase().as_str() {
            "APPROVED" | "AVAILABLE_WITHOUT_REVIEW" => ReviewOutcome::Approved.into(),
            "REJECTED" | "DECLINED" | "EXPIRED" => ReviewOutcome::Rejected.into(),
            "PENDING" | "PENDING_REVIEW" => ReviewOutcome::Pending.into(),
            "DEFERRED" => ReviewOutcome::Deferred.into(),
            _ => Open::Later(platform.to_owned()),
        }
    }
}
