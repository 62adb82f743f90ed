//! Users of the chat network, as lists of users name them.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use super::outgoing::USER_ID_LENGTH;
use crate::schema::builder::string_of_pattern;
use crate::{E164, ErrorCode, Failure};

/// The letters of the country code with which a user id begins.
const COUNTRY_LETTERS: usize = 2;
/// The longest part of a user id after the country code and its dot, in characters.
const LONGEST_REST: usize = USER_ID_LENGTH - COUNTRY_LETTERS - 1;

/// A user, named by phone number, or by the platform's user id, such as `US.13491208655302741918`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChatUser {
    Number(E164),
    /// The platform's id of the user, which begins with a country code and a dot. So it is never a phone number.
    Id(String),
}

/// The error of parsing a text that names no user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is neither a phone number nor a user id")]
pub struct InvalidUser;

impl ChatUser {
    /// Parses the user in the field `param`. Fails with the error code `invalid_phone_number`.
    pub fn in_field(text: &str, param: &str) -> Result<Self, Failure> {
        text.parse().map_err(|_| Self::invalid(param))
    }

    /// Returns the failure of a field that names no user.
    pub fn invalid(param: &str) -> Failure {
        let message = format!(
            "{param} must be a phone number in E.164 format, such as +12015550123, or a WhatsApp user id, such as \
             US.13491208655302741918, as messages and events contain it."
        );
        Failure::of_code(ErrorCode::InvalidPhoneNumber, message).with_param(param)
    }

    /// Parses a user as the platform names one in a response: digits with any formatting, or a user id.
    pub fn of_platform(text: &str) -> Option<Self> {
        if is_user_id(text) {
            return Some(ChatUser::Id(text.to_owned()));
        }
        E164::from_digits_in(text).map(ChatUser::Number)
    }

    /// Returns the phone number; `None` for a user that is named by user id.
    pub fn number(&self) -> Option<&E164> {
        match self {
            ChatUser::Number(number) => Some(number),
            ChatUser::Id(_) => None,
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            ChatUser::Number(number) => number.as_str(),
            ChatUser::Id(id) => id,
        }
    }

    /// The pattern of user ids, without the anchors of a whole text.
    pub(crate) fn id_pattern() -> String {
        format!(r"[A-Z]{{{COUNTRY_LETTERS}}}\.[A-Za-z0-9.]{{1,{LONGEST_REST}}}")
    }
}

/// Returns whether a text is a user id: a country code, a dot, and letters, digits and further dots.
fn is_user_id(text: &str) -> bool {
    let Some((country, rest)) = text.split_once('.') else { return false };
    country.len() == COUNTRY_LETTERS
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && (1..=LONGEST_REST).contains(&rest.len())
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
}

impl FromStr for ChatUser {
    type Err = InvalidUser;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_user_id(text) {
            return Ok(ChatUser::Id(text.to_owned()));
        }
        text.parse::<E164>().map(ChatUser::Number).map_err(|_| InvalidUser)
    }
}

impl fmt::Display for ChatUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<E164> for ChatUser {
    fn from(number: E164) -> Self {
        ChatUser::Number(number)
    }
}

impl Serialize for ChatUser {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl PartialSchema for ChatUser {
    fn schema() -> RefOr<Schema> {
        let pattern = format!(r"^(\+[1-9][0-9]{{6,14}}|{})$", Self::id_pattern());
        let description = "A phone number in E.164 format, or a WhatsApp user id, as messages and events contain it.";
        string_of_pattern(&pattern, description, "+12015550123")
    }
}

impl utoipa::ToSchema for ChatUser {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_a_phone_number_or_a_user_id() {
        let number = ChatUser::Number("+12015550123".parse().expect("a number"));
        assert_eq!("+12015550123".parse::<ChatUser>(), Ok(number));
        for id in ["US.1", "US.13491208655302741918", "DE.ENT.Ab9"] {
            assert_eq!(id.parse::<ChatUser>(), Ok(ChatUser::Id(id.to_owned())));
        }
        let long = format!("US.{}", "1".repeat(LONGEST_REST));
        assert!(long.parse::<ChatUser>().is_ok() && format!("{long}1").parse::<ChatUser>().is_err());
        for text in ["", "US.", "us.1", "USA.1", "US1", "US.1-2", "US.1#2", "12015550123", "+1", "nope"] {
            assert_eq!(text.parse::<ChatUser>(), Err(InvalidUser), "{text}");
        }
    }

    #[test]
    fn the_platform_formats_numbers_as_it_likes() {
        let number = Some(ChatUser::Number("+16505551234".parse().expect("a number")));
        for text in ["16505551234", "+16505551234", "+1 650-555-1234"] {
            assert_eq!(ChatUser::of_platform(text), number, "{text}");
        }
        assert_eq!(ChatUser::of_platform("US.1"), Some(ChatUser::Id("US.1".to_owned())));
        assert_eq!(ChatUser::of_platform("nope"), None);
    }
}
