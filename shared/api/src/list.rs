//! The query parameters of lists: `limit`, `cursor` and filters.

use std::collections::BTreeMap;

use axum::extract::FromRequestParts;
use domain::Failure;
use domain::credential::hex;
use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, Identifier, OrganizationId, PhoneNumberId};
use http::request::Parts;
use ring::digest::{SHA256, digest};
use store::PageRequest;
use utoipa::IntoParams;

use crate::answer::Rejection;
use crate::cursor;

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 100;
/// The query parameters of every list.
const LIST_PARAMETERS: [&str; 2] = ["limit", "cursor"];
/// How much of an unknown parameter's name a message repeats, in characters.
const LONGEST_NAME: usize = 100;

/// The query parameters of a list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// The maximum number of objects on the page.
    #[param(minimum = 1, maximum = 100, default = 25, required = false)]
    pub limit: usize,
    /// `nextCursor` of the previous page.
    #[param(required = false)]
    pub cursor: Option<String>,
    /// The name of a parameter that the list does not have, and the names of those that it has. It is reported after
    /// the errors of all others.
    #[param(ignore)]
    unknown: Option<(String, Vec<&'static str>)>,
}

impl ListQuery {
    /// Returns the page to read. `list` names the list and its filter. Fails for a damaged cursor or one of another
    /// list, then for an unknown query parameter.
    pub fn page(&self, organization: &OrganizationId, list: &str) -> Result<PageRequest, Failure> {
        Ok(PageRequest { limit: self.limit, before: self.place(|cursor| cursor::decode(organization, list, cursor))? })
    }

    /// Returns the platform's own cursor, for a list that the platform keeps; `None` for the first page. Fails as
    /// [`ListQuery::page`] does.
    pub fn after_at_platform(&self, organization: &OrganizationId, list: &str) -> Result<Option<String>, Failure> {
        self.place(|cursor| cursor::decode_platform(organization, list, cursor))
    }

    fn place(&self, decode: impl FnOnce(&str) -> Option<String>) -> Result<Option<String>, Failure> {
        let place = match &self.cursor {
            None => None,
            Some(cursor) => {
                let last = decode(cursor);
                let message =
                    "cursor is damaged or belongs to another list. Pass nextCursor of the previous page unchanged.";
                Some(last.ok_or_else(|| Failure::invalid("cursor", message))?)
            }
        };
        if let Some((name, allowed)) = &self.unknown {
            return Err(unknown(name, allowed));
        }
        Ok(place)
    }
}

fn unknown(name: &str, allowed: &[&str]) -> Failure {
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let message = format!("\"{shown}\" is not a query parameter of this list. Allowed: {}.", allowed.join(", "));
    Failure::invalid(name, message)
}

fn limit(text: &str) -> Result<usize, Failure> {
    let well_formed = !text.is_empty() && text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    well_formed
        .then(|| text.parse().ok())
        .flatten()
        .filter(|limit| (1..=MAX_LIMIT).contains(limit))
        .ok_or_else(|| Failure::invalid("limit", format!("limit must be an integer from 1 to {MAX_LIMIT}.")))
}

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

/// The query parameters of a list that can be filtered.
#[derive(Debug)]
pub struct FilteredList<F> {
    pub query: ListQuery,
    pub filter: Option<F>,
}

/// The query parameters of a list of the resources of one object, which the required filter names.
#[derive(Debug)]
pub struct ListOf<F> {
    pub query: ListQuery,
    pub of: F,
}

/// The query parameter of an operation that returns no pages and can be limited to one object.
#[derive(Debug)]
pub struct Only<F>(pub Option<F>);

/// The filters of a list that can be filtered by several values.
pub trait Filters: Sized + Send {
    /// The query parameters, in the order in which their errors are reported.
    const NAMES: &'static [&'static str];
    /// Those of them that are required.
    const REQUIRED: &'static [&'static str] = &[];

    fn parse(sent: &SentFilters) -> Result<Self, Failure>;
}

/// The query parameters of a list that can be filtered by several values.
#[derive(Debug)]
pub struct ListBy<F> {
    pub query: ListQuery,
    pub filters: F,
}

/// The values of the filters, as they were sent.
#[derive(Debug, Default)]
pub struct SentFilters(BTreeMap<&'static str, String>);

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

/// The values of the query parameters, as they were sent.
#[derive(Default)]
pub(crate) struct Sent {
    limit: Option<String>,
    cursor: Option<String>,
    filters: SentFilters,
    repeated: Option<String>,
    unknown: Option<String>,
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

    /// Returns the failure about a missing filter, which names the first unknown parameter, too.
    fn missing(&self, name: &str, filters: &[&str]) -> Failure {
        let missing = Failure::missing(name);
        match &self.unknown {
            Some(sent) => missing.with_unknown(&unknown(sent, &[&LIST_PARAMETERS, filters].concat())),
            None => missing,
        }
    }

    /// Rejects repeated parameters, then validates `limit`. [`ListQuery::page`] validates the cursor and rejects unknown
    /// parameters.
    fn validated(self, filters: &[&'static str]) -> Result<(ListQuery, SentFilters), Failure> {
        if let Some(name) = self.repeated {
            let message = format!("{name} is repeated. Pass it once.");
            return Err(Failure::invalid(name, message));
        }
        let limit = self.limit.as_deref().map(limit).transpose()?.unwrap_or(DEFAULT_LIMIT);
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

impl<S: Send + Sync> FromRequestParts<S> for ListQuery {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        Ok(Sent::read(parts, &[]).validated(&[])?.0)
    }
}

impl<S: Send + Sync, F: Filters> FromRequestParts<S> for ListBy<F> {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let sent = Sent::read(parts, F::NAMES);
        if let Some(missing) = F::REQUIRED.iter().find(|name| !sent.filters.0.contains_key(*name)) {
            return Err(sent.missing(missing, F::NAMES).into());
        }
        let (query, sent) = sent.validated(F::NAMES)?;
        Ok(ListBy { query, filters: F::parse(&sent)? })
    }
}

impl<S: Send + Sync, F: Filter> FromRequestParts<S> for FilteredList<F> {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let (query, sent) = Sent::read(parts, &[F::NAME]).validated(&[F::NAME])?;
        Ok(FilteredList { query, filter: sent.get(F::NAME, |text, _| F::parse(text))? })
    }
}

impl<S: Send + Sync, F: Filter> FromRequestParts<S> for ListOf<F> {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let sent = Sent::read(parts, &[F::NAME]);
        if sent.filters.0.is_empty() {
            return Err(sent.missing(F::NAME, &[F::NAME]).into());
        }
        let (query, sent) = sent.validated(&[F::NAME])?;
        let of = sent.get(F::NAME, |text, _| F::parse(text))?;
        Ok(ListOf { query, of: of.ok_or_else(|| Failure::missing(F::NAME))? })
    }
}

impl<S: Send + Sync, F: Filter> FromRequestParts<S> for Only<F> {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let pages = Sent::read(parts, &[F::NAME]);
        let of_pages = [("limit", pages.limit.is_some()), ("cursor", pages.cursor.is_some())];
        let of_pages = of_pages.into_iter().find(|(_, is_sent)| *is_sent).map(|(name, _)| name.to_owned());
        let (query, sent) = Sent { limit: None, ..pages }.validated(&[F::NAME])?;
        let only = sent.get(F::NAME, |text, _| F::parse(text))?;
        if let Some(name) = query.unknown.map(|(name, _)| name).or(of_pages) {
            return Err(unknown(&name, &[F::NAME]).into());
        }
        Ok(Only(only))
    }
}
