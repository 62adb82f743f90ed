//! Phone numbers of the playground: +1 NPA 555 01XX, the range that the North American Numbering Plan reserves for
//! fiction.

use serde::{Deserialize, Serialize};

use crate::E164;
use crate::id::ChatPhoneNumberId;
use crate::port::{Random, random_index};

pub const USERS_PER_ORGANIZATION: u32 = 1000;
/// How many system numbers a test app is created with.
pub const SYSTEM_NUMBERS_PER_APP: usize = 2;
/// How many can be created for it. The transaction that deletes the app also deletes them, and has room for this many.
pub const MOST_SYSTEM_NUMBERS: usize = 6;

/// How many messages an app may simulate per day.
pub const MESSAGES_A_DAY: u64 = 10_000;
/// How many bytes the test apps of an organization may store per day: uploads, and simulated notifications.
pub const BYTES_STORED_A_DAY: u64 = 2_000_000_000;
/// How many bytes an organization may post to webhooks per day in test mode. A simulated message can be large and go to
/// many webhooks, whose addresses may belong to third parties that never asked for it.
pub const BYTES_POSTED_A_DAY: u64 = 1_000_000_000;
/// The highest number of recipients of a message in test mode. Simulated statuses of a group's message name no more.
pub const SIMULATED_RECIPIENTS: usize = 32;
/// The size in bytes up to which simulated statuses may make a message grow. Its events contain the whole message.
pub const SIMULATED_MESSAGE_BYTES: usize = 64 * 1024;

/// The most items of a simulated order, and their highest quantity and price.
pub const ORDER_ITEMS: usize = 30;
pub const ORDER_QUANTITY: u32 = 999_999;
pub const ORDER_PRICE: f64 = 1e9;
/// The longest simulated response of a flow, in bytes of JSON.
pub const FLOW_RESPONSE_BYTES: usize = 64 * 1024;

/// The types of messages that a simulated chat user can send.
pub const MESSAGE_TYPES: [&str; 14] = [
    "text",
    "image",
    "video",
    "audio",
    "document",
    "sticker",
    "location",
    "contacts",
    "reaction",
    "button",
    "interactive",
    "order",
    "system",
    "unsupported",
];

/// The platform id of the simulated account to which the playground numbers of an organization belong.
pub const SIMULATED_WABA_ID: &str = "1000";
pub const SIMULATED_BUSINESS_NAME: &str = "Playground";

/// The chat number that was created with a test app, as the app and its credentials contain it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedChatNumber {
    pub id: ChatPhoneNumberId,
    pub display_phone_number: E164,
}

/// Returns the id by which the simulated platform identifies a number: its digits.
pub fn platform_id_of_simulated(number: &E164) -> &str {
    &number.as_str()[1..]
}

/// Area codes that are in service in the United States (NANPA). Each has a hundred fictional numbers.
const AREA_CODES: [u16; 303] = [
    201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229, 231, 234,
    239, 240, 248, 251, 252, 253, 254, 256, 260, 262, 267, 269, 270, 276, 281, 301, 302, 303, 304, 305, 307, 308, 309,
    310, 312, 313, 314, 315, 316, 317, 318, 319, 320, 321, 323, 325, 330, 334, 336, 337, 339, 346, 347, 351, 352, 360,
    361, 386, 401, 402, 404, 405, 406, 407, 408, 409, 410, 412, 413, 414, 415, 417, 419, 423, 424, 425, 430, 432, 434,
    435, 440, 443, 458, 463, 469, 470, 475, 478, 479, 480, 484, 501, 502, 503, 504, 505, 507, 508, 509, 510, 512, 513,
    515, 516, 517, 518, 520, 530, 531, 534, 539, 540, 541, 551, 559, 561, 562, 563, 567, 570, 571, 573, 574, 575, 580,
    585, 586, 601, 602, 603, 605, 606, 607, 608, 609, 610, 612, 614, 615, 616, 617, 618, 619, 620, 623, 626, 628, 629,
    630, 631, 636, 641, 646, 650, 651, 657, 660, 661, 662, 667, 669, 678, 681, 682, 701, 702, 703, 704, 706, 707, 708,
    712, 713, 714, 715, 716, 717, 718, 719, 720, 724, 725, 727, 730, 731, 732, 734, 737, 740, 743, 747, 754, 757, 760,
    762, 763, 765, 769, 770, 772, 773, 774, 775, 779, 781, 785, 786, 801, 802, 803, 804, 805, 806, 808, 810, 812, 813,
    814, 815, 816, 817, 818, 828, 830, 831, 832, 843, 845, 847, 848, 850, 854, 856, 857, 858, 859, 860, 862, 863, 864,
    865, 870, 872, 878, 901, 903, 904, 906, 907, 908, 909, 910, 912, 913, 914, 915, 916, 917, 918, 919, 920, 925, 928,
    929, 930, 931, 934, 936, 937, 938, 940, 941, 945, 947, 949, 951, 952, 954, 956, 959, 970, 971, 972, 973, 978, 979,
    980, 984, 985, 989,
];

/// Returns whether a number is fictional: +1 NPA 555 01XX with an area code that is in service.
pub fn is_fictional(number: &E164) -> bool {
    let parts = number.digits().strip_prefix('1').filter(|digits| digits.len() == 10).map(|digits| digits.split_at(3));
    parts.is_some_and(|(area, rest)| {
        rest.starts_with("55501") && area.parse().is_ok_and(|area| AREA_CODES.binary_search(&area).is_ok())
    })
}

/// Returns a random fictional number. The caller checks whether it is already allocated.
pub fn fictional_number(random: &dyn Random) -> E164 {
    let area = AREA_CODES[random_index(random, AREA_CODES.len())];
    let line = random_index(random, 100);
    #[expect(clippy::expect_used, reason = "the format is fixed and tested")]
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
            assert!(is_fictional(&number));
        }
        assert!(AREA_CODES.is_sorted());
        for other in ["+12005550100", "+12015550200", "+12015550", "+120155501000", "+442015550100"] {
            assert!(!is_fictional(&other.parse().expect("E.164")), "{other}");
        }
    }
}
