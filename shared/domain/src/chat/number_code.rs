//! The codes by which numbers are verified, and the two-step PINs that protect them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Failure;
use crate::identity::credential::Secret;

/// The number of digits of a code or a PIN.
const DIGITS: usize = 6;

/// How WhatsApp sends the code that verifies a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = ChatNumberCodeMethod)]
pub enum CodeMethod {
    Sms,
    /// A call, in which the code is read out.
    Voice,
}

/// Validates six digits. The failure does not repeat what was sent, because it is a secret.
pub fn six_digits(sent: &str, param: &str) -> Result<Secret, Failure> {
    if sent.len() == DIGITS && sent.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Secret::new(sent));
    }
    Err(Failure::invalid(param, format!("{param} must consist of exactly six digits, such as \"482915\".")))
}

/// Validates a language: two or three letters, and optionally the two capital letters of a country.
pub fn language(sent: &str, param: &str) -> Result<String, Failure> {
    let (language, country) =
        sent.split_once('_').map_or((sent, None), |(language, country)| (language, Some(country)));
    let is_language = (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_country = |country: &str| country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_language && country.is_none_or(is_country) {
        return Ok(sent.to_owned());
    }
    Err(Failure::invalid(param, format!("{param} must be a language of WhatsApp, such as en_US, pt_BR or id.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_six_digits() {
        assert_eq!(six_digits("012345", "pin").expect("six digits").expose(), "012345");
        for wrong in ["", "12345", "1234567", "12345a", "123-456", "１２", " 12345", "+12345"] {
            let failure = six_digits(wrong, "pin").expect_err("a failure");
            assert!(wrong.is_empty() || !failure.message().contains(wrong), "{}", failure.message());
        }
    }

    #[test]
    fn languages_have_the_form_of_the_platform() {
        for right in ["en_US", "en", "fil", "zh_CN"] {
            assert_eq!(language(right, "language").expect("a language"), right);
        }
        for wrong in ["", "e", "EN", "en-US", "en_us", "en_", "_US", "en_USA", "english"] {
            language(wrong, "language").expect_err("a failure");
        }
    }
}
