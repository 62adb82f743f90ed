//! The query parameters of a request as they were sent, and their validation.

use domain::Failure;
use domain::page::{DEFAULT_PER_PAGE, MOST_PER_PAGE};
use http::request::Parts;

use super::{ListQuery, SentFilters};

/// The query parameters of every list.
const LIST_PARAMETERS: [&str; 2] = ["limit", "cursor"];
/// How much of an unknown parameter's name a message repeats, in characters.
const LONGEST_NAME: usize = 100;

/// The values of the query parameters, as they were sent.
#[derive(Default)]
pub(crate) struct Sent {
    pub(super) limit: Option<String>,
    pub(super) cursor: Option<String>,
    pub(super) filters: SentFilters,
    pub(super) repeated: Option<String>,
    pub(super) unknown: Option<String>,
}

impl Sent {
    pub(crate) fn read(parts: &Parts, filters: &[&'static str]) -> Self {
        let mut sent = Sent::default();
        for (name, value) in url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
            let earlier = match (name.as_ref(), filters.iter().find(|filter| **filter == name)) {
                ("limit", _) => sent.limit.replace(value.into_owned()),
                ("cursor", _) => sent.cursor.replace(value.into_owned()),
                (_, Some(filter)) => sent.filters.0.insert(filter, value.into_owned()),
                _ => {
                    sent.unknown.get_or_insert(name.into_owned());
                    continue;
                }
            };
            if earlier.is_some() {
                sent.repeated.get_or_insert(name.into_owned());
            }
        }
        sent
    }

    /// Returns the failure about a missing filter, which also names the first unknown parameter.
    pub(super) fn missing(&self, name: &str, filters: &[&str]) -> Failure {
        let missing = Failure::missing(name);
        match &self.unknown {
            Some(sent) => missing.with_unknown(&unknown(sent, &[&LIST_PARAMETERS, filters].concat())),
            None => missing,
        }
    }

    /// Rejects repeated parameters, then validates `limit`. [`ListQuery::page`] validates the cursor and rejects unknown
    /// parameters.
    pub(super) fn validated(self, filters: &[&'static str]) -> Result<(ListQuery, SentFilters), Failure> {
        self.validated_up_to(MOST_PER_PAGE, DEFAULT_PER_PAGE, filters)
    }

    /// Does the same for a list with other bounds on `limit`.
    pub(super) fn validated_up_to(
        self,
        most: usize,
        default: usize,
        filters: &[&'static str],
    ) -> Result<(ListQuery, SentFilters), Failure> {
        if let Some(name) = self.repeated {
            let message = format!("{name} is repeated. Pass it once.");
            return Err(Failure::invalid(name, message));
        }
        let limit = self.limit.as_deref().map(|sent| limit(sent, most)).transpose()?.unwrap_or(default);
        let allowed = LIST_PARAMETERS.into_iter().chain(filters.iter().copied()).collect();
        let query = ListQuery { limit, cursor: self.cursor, unknown: self.unknown.map(|name| (name, allowed)) };
        Ok((query, self.filters))
    }
}

impl Sent {
    /// Returns the limit and the filters of a list that has no cursor.
    pub(crate) fn without_cursor(self, filters: &[&'static str]) -> Result<(usize, SentFilters), Failure> {
        let has_cursor = self.cursor.is_some();
        let (query, sent) = self.validated(filters)?;
        let unknown_name = query.unknown.map(|(name, _)| name).or(has_cursor.then(|| "cursor".to_owned()));
        match unknown_name {
            None => Ok((query.limit, sent)),
            Some(name) => Err(unknown(&name, &[&["limit"], filters].concat())),
        }
    }
}

impl Sent {
    /// Returns the filters of an operation that has neither limit nor cursor.
    pub(crate) fn filters_alone(self, filters: &[&'static str]) -> Result<SentFilters, Failure> {
        let list_parameter = [("limit", self.limit.is_some()), ("cursor", self.cursor.is_some())];
        let list_parameter = list_parameter.into_iter().find(|(_, is_sent)| *is_sent).map(|(name, _)| name.to_owned());
        let (query, sent) = Sent { limit: None, ..self }.validated(filters)?;
        match query.unknown.map(|(name, _)| name).or(list_parameter) {
            None => Ok(sent),
            Some(name) => {
                let shown: String = name.chars().take(LONGEST_NAME).collect();
                let message =
                    format!("\"{shown}\" is not a query parameter of this operation. Allowed: {}.", filters.join(", "));
                Err(Failure::invalid(name, message))
            }
        }
    }
}

/// Returns the failure about a query parameter that the list does not have.
pub(super) fn unknown(name: &str, allowed: &[&str]) -> Failure {
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let message = format!("\"{shown}\" is not a query parameter of this list. Allowed: {}.", allowed.join(", "));
    Failure::invalid(name, message)
}

/// Parses `limit`.
fn limit(text: &str, most: usize) -> Result<usize, Failure> {
    let well_formed = !text.is_empty() && text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    well_formed
        .then(|| text.parse().ok())
        .flatten()
        .filter(|limit| (1..=most).contains(limit))
        .ok_or_else(|| Failure::invalid("limit", format!("limit must be an integer from 1 to {most}.")))
}
