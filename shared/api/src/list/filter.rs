//! The filters of lists, and their values as they were sent.

use std::collections::BTreeMap;

use domain::Failure;
use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, Identifier, PhoneNumberId};
use domain::identity::credential::hex;
use domain::page::{DEFAULT_PER_PAGE, MOST_PER_PAGE};
use ring::digest::{SHA256, digest};

/// A value that a list can be filtered by.
pub trait Filter: Sized + Send {
    const NAME: &'static str;

    /// Parses the value of the query parameter.
    fn parse(text: &str) -> Result<Self, Failure>;
}

impl Filter for ChatBusinessProfileId {
    const NAME: &'static str = "chatBusinessProfileId";

    fn parse(text: &str) -> Result<Self, Failure> {
        Self::in_param(text, Self::NAME)
    }
}

impl Filter for ChatPhoneNumberId {
    const NAME: &'static str = "chatPhoneNumberId";

    fn parse(text: &str) -> Result<Self, Failure> {
        Self::in_param(text, Self::NAME)
    }
}

impl Filter for PhoneNumberId {
    const NAME: &'static str = "phoneNumberId";

    fn parse(text: &str) -> Result<Self, Failure> {
        Self::in_param(text, Self::NAME)
    }
}

/// The filters of a list that can be filtered by several values.
pub trait Filters: Sized + Send {
    /// The query parameters, in the order in which their errors are reported.
    const NAMES: &'static [&'static str];
    /// The required parameters among [`Filters::NAMES`].
    const REQUIRED: &'static [&'static str] = &[];
    /// The highest and the default number of objects on a page.
    const LIMIT: (usize, usize) = (MOST_PER_PAGE, DEFAULT_PER_PAGE);

    fn parse(sent: &SentFilters) -> Result<Self, Failure>;
}

/// The values of the filters, as they were sent.
#[derive(Debug, Default)]
pub struct SentFilters(pub(super) BTreeMap<&'static str, String>);

impl SentFilters {
    /// Returns the value of a filter, parsed by `parse`, which also gets the name of the parameter.
    pub fn get<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str, &str) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        self.0.get(name).map(|text| parse(text, name)).transpose()
    }

    /// Returns a text that identifies the values, for the cursors of the list; `None` if there are none but `except`.
    pub fn digest(&self, except: &str) -> Option<String> {
        let mut serializer = url::form_urlencoded::Serializer::new(String::new());
        let others: Vec<_> = self.0.iter().filter(|(name, _)| **name != except).collect();
        let text = serializer.extend_pairs(&others).finish();
        (!others.is_empty()).then(|| hex(&digest(&SHA256, text.as_bytes()).as_ref()[..8]))
    }
}
