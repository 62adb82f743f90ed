//! The review of templates by the simulated platform. The ending of the template's name decides the outcome;
//! docs/test-mode.md lists the endings.

use std::time::Duration;

/// How long a review takes.
pub const REVIEW_TAKES: Duration = Duration::from_secs(1);

/// The outcome of the review of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedReview {
    Approved,
    Rejected,
    /// The template stays pending.
    Never,
}

impl SimulatedReview {
    pub fn of(name: &str) -> Self {
        if name.ends_with("_rejected") {
            SimulatedReview::Rejected
        } else if name.ends_with("_pending") {
            SimulatedReview::Never
        } else {
            SimulatedReview::Approved
        }
    }

    /// Returns the status after the review.
    pub fn status(self) -> &'static str {
        match self {
            SimulatedReview::Approved => "APPROVED",
            SimulatedReview::Rejected => "REJECTED",
            SimulatedReview::Never => "PENDING",
        }
    }

    /// Returns the reason of a rejection.
    pub fn reason(self) -> Option<&'static str> {
        (self == SimulatedReview::Rejected).then_some("INVALID_FORMAT")
    }
}
