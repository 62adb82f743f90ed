//! The parts in which the carrier sends a text. A text of the GSM 03.38 alphabet has 7 bits per character, and any other
//! text 16 bits. A text that does not fit one part has a header in each of its parts.

/// The characters of the basic GSM 03.38 alphabet.
const BASIC: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§\
                     ¿abcdefghijklmnopqrstuvwxyzäöñüà";
/// The characters of its extension, each of which takes two places.
const EXTENSION: &str = "\u{c}^{}\\[~]|€";

/// The places of a text that fits one part, and of each part of a longer one.
const GSM: (usize, usize) = (160, 153);
const UCS2: (usize, usize) = (70, 67);

/// Returns in how many parts a text is sent.
pub fn parts(text: &str) -> u32 {
    let septets = text.chars().map(septets).try_fold(Vec::new(), |mut all, places| {
        all.push(places?);
        Some(all)
    });
    let (places, (one, each)) = match septets {
        Some(places) => (places, GSM),
        None => (text.chars().map(char::len_utf16).collect(), UCS2),
    };
    if places.iter().sum::<usize>() <= one {
        return 1;
    }
    // A character of two places is never split over two parts.
    let (mut parts, mut used) = (1, 0);
    for place in places {
        if used + place > each {
            (parts, used) = (parts + 1, 0);
        }
        used += place;
    }
    parts
}

fn septets(character: char) -> Option<usize> {
    if BASIC.contains(character) {
        return Some(1);
    }
    EXTENSION.contains(character).then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_the_gsm_alphabet_has_160_places_or_153_in_each_part() {
        let text = |length: usize| "é".repeat(length);
        for (length, expected) in [(0, 1), (1, 1), (160, 1), (161, 2), (306, 2), (307, 3), (1600, 11)] {
            assert_eq!(parts(&text(length)), expected, "{length}");
        }
    }

    #[test]
    fn characters_of_the_extension_take_two_places_and_are_not_split() {
        assert_eq!((parts(&"€".repeat(80)), parts(&"€".repeat(81))), (1, 2));
        // 153 places hold 76 of them.
        assert_eq!((parts(&"€".repeat(152)), parts(&"€".repeat(153))), (2, 3));
    }

    #[test]
    fn any_other_character_makes_the_text_ucs_2() {
        let text = |length: usize| format!("{}ё", "a".repeat(length - 1));
        for (length, expected) in [(1, 1), (70, 1), (71, 2), (134, 2), (135, 3)] {
            assert_eq!(parts(&text(length)), expected, "{length}");
        }
        // An emoji takes two places: 33 of them fit a part of 67.
        assert_eq!((parts(&"👍".repeat(35)), parts(&"👍".repeat(36)), parts(&"👍".repeat(67))), (1, 2, 3));
    }
}
