//! Lists: the query parameters `limit` and `cursor`, and the response's `data` and `nextCursor`.

use axum::extract::FromRequestParts;
use domain::Failure;
use domain::delivery::DeliveryStatus;
use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, Identifier, OrganizationId};
use http::request::Parts;
use serde::Serialize;
use store::{Page, PageRequest};
use utoipa::{IntoParams, ToSchema};

use crate::answer::Rejection;
use crate::cursor;

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 100;

/// One page of a list, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    pub data: Vec<T>,
    /// The cursor of the next page; `null` on the last page only.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

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
}

impl ListQuery {
    /// Returns the page to read. `list` names the list and its filter; a cursor of another list is rejected.
    pub fn page(&self, organization: &OrganizationId, list: &str) -> Result<PageRequest, Failure> {
        let before = match &self.cursor {
            None => None,
            Some(cursor) => {
                let last = cursor::decode(organization, list, cursor);
                let message =
                    "cursor is damaged or belongs to another list. Pass nextCursor of the previous page unchanged.";
                Some(last.ok_or_else(|| Failure::invalid("cursor", message))?)
            }
        };
        Ok(PageRequest { limit: self.limit, before })
    }
}

impl<T> List<T> {
    /// Returns the response for a page. `list` names the list and its filter.
    pub fn new(page: Page<T>, organization: &OrganizationId, list: &str) -> Self {
        List { next_cursor: page.next.map(|last| cursor::encode(organization, list, &last)), data: page.items }
    }
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

    /// Parses the value of the query parameter. The error says what the value must be: `must …`.
    fn parse(text: &str) -> Result<Self, String>;
}

fn parse_id<T: Identifier>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("must match the pattern {}.", T::PATTERN))
}

impl Filter for ChatBusinessProfileId {
    const NAME: &'static str = "chatBusinessProfileId";

    fn parse(text: &str) -> Result<Self, String> {
        parse_id(text)
    }
}

impl Filter for ChatPhoneNumberId {
    const NAME: &'static str = "chatPhoneNumberId";

    fn parse(text: &str) -> Result<Self, String> {
        parse_id(text)
    }
}

impl Filter for DeliveryStatus {
    const NAME: &'static str = "status";

    fn parse(text: &str) -> Result<Self, String> {
        let known = serde_json::from_value(serde_json::Value::from(text));
        known.map_err(|_| "must be PENDING, DELIVERED, FAILED or SKIPPED.".to_owned())
    }
}

/// The query parameters of a list that can be filtered.
#[derive(Debug)]
pub struct FilteredList<F> {
    pub query: ListQuery,
    pub filter: Option<F>,
}

impl<F: Filter> FilteredList<F> {
    /// Returns the filter, or the failure that it is missing.
    pub fn required(&self) -> Result<&F, Failure> {
        self.filter.as_ref().ok_or_else(|| Failure::missing(F::NAME))
    }
}

fn parse(parts: &Parts, filter: Option<&'static str>) -> Result<(ListQuery, Option<String>), Failure> {
    let mut query = ListQuery { limit: DEFAULT_LIMIT, cursor: None };
    let mut filtered = None;
    let mut seen = Vec::new();
    for (name, value) in url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        if seen.contains(&name) {
            return Err(Failure::invalid(name, "The parameter is repeated. Pass it once."));
        }
        match name.as_ref() {
            "limit" => query.limit = limit(&value)?,
            "cursor" => query.cursor = Some(value.into_owned()),
            other if Some(other) == filter => filtered = Some(value.into_owned()),
            _ => {
                let allowed = ["limit", "cursor"].into_iter().chain(filter).collect::<Vec<_>>().join(", ");
                return Err(Failure::invalid(name, format!("Unknown query parameter. Allowed: {allowed}.")));
            }
        }
        seen.push(name);
    }
    Ok((query, filtered))
}

impl<S: Send + Sync> FromRequestParts<S> for ListQuery {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        Ok(parse(parts, None)?.0)
    }
}

impl<S: Send + Sync, F: Filter> FromRequestParts<S> for FilteredList<F> {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let (query, filter) = parse(parts, Some(F::NAME))?;
        let malformed = |what: String| Failure::invalid(F::NAME, format!("{} {what}", F::NAME));
        let filter = filter.map(|text| F::parse(&text).map_err(malformed)).transpose()?;
        Ok(FilteredList { query, filter })
    }
}
