//! The mode of objects and callers, which keeps test objects and live objects apart.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether something belongs to live mode or to test mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Live,
    Test,
}

impl Mode {
    pub const ALL: [Mode; 2] = [Mode::Live, Mode::Test];

    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Live => "live",
            Mode::Test => "test",
        }
    }

    /// Returns the text that follows the prefix in identifiers of this mode.
    pub fn infix(self) -> &'static str {
        match self {
            Mode::Live => "",
            Mode::Test => "test_",
        }
    }

    pub fn is_test(self) -> bool {
        self == Mode::Test
    }

    /// Returns whether a caller of this mode may see objects of `other`. Live callers see all objects, test callers
    /// only test objects.
    pub fn sees(self, other: Mode) -> bool {
        self == Mode::Live || other == Mode::Test
    }

    /// Returns the modes whose objects a caller of this mode may see, for lists with one partition per mode.
    pub fn visible(self) -> &'static [Mode] {
        match self {
            Mode::Live => &Mode::ALL,
            Mode::Test => &[Mode::Test],
        }
    }
}
