//! Numbers of the playground: +1 NPA 555 01XX, the range that the North American Numbering Plan reserves for fiction.

use crate::E164;
use crate::port::{Random, random_index};

pub const USERS_PER_ORGANIZATION: u32 = 1000;
pub const SYSTEM_NUMBERS_PER_APP: usize = 2;

/// The simulated account that every organization's playground numbers belong to.
pub const SIMULATED_WABA_ID: &str = "1000";
pub const SIMULATED_BUSINESS_NAME: &str = "Playground";

/// Area codes in service (NANPA), each with a hundred fictional numbers.
const AREA_CODES: [u16; 80] = [
    201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229, 231, 234,
    239, 240, 248, 251, 252, 253, 254, 256, 260, 262, 267, 269, 270, 276, 281, 301, 302, 303, 304, 305, 307, 308, 309,
    310, 312, 313, 314, 315, 316, 317, 318, 319, 320, 321, 323, 325, 330, 334, 336, 337, 339, 346, 347, 351, 352, 360,
    361, 386, 401, 402, 404, 405, 406, 407, 408, 409, 410,
];

/// A fictional number; whether it was given out before is for the caller to find out.
pub fn fictional_number(random: &dyn Random) -> E164 {
    let area = AREA_CODES[random_index(random, AREA_CODES.len())];
    let line = random_index(random, 100);
    #[expect(clippy::expect_used, reason = "the form is fixed and tested")]
    format!("+1{area}55501{line:02}").parse().expect("E.164")
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;

    #[test]
    fn numbers_are_fictional() {
        for _ in 0..1000 {
            let number = fictional_number(&SystemRandom::new());
            assert_eq!(number.as_str().len(), 12);
            assert_eq!(&number.as_str()[5..10], "55501");
        }
    }
}
