//! Test and live objects never mix: every object and every caller has a mode.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

    pub fn is_test(self) -> bool {
        self == Mode::Test
    }

    /// Whether a caller of this mode may see an object of `other`: live keys see all, test keys only test objects.
    pub fn sees(self, other: Mode) -> bool {
        self == Mode::Live || other == Mode::Test
    }

    /// The modes a caller sees, for lists that keep one partition a mode.
    pub fn visible(self) -> &'static [Mode] {
        match self {
            Mode::Live => &Mode::ALL,
            Mode::Test => &[Mode::Test],
        }
    }
}
