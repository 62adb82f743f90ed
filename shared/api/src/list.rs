//! Lists: `limit` and `cursor` in, `data` and `nextCursor` out.

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
const MOST: usize = 100;

/// One page of a list, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    pub data: Vec<T>,
    /// Where the next page begins; `null` is the end, and only that.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

/// The query parameters of a list.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// The largest number of objects on the page.
    #[param(minimum = 1, maximum = 100, default = 25, required = false)]
    pub limit: usize,
    /// `nextCursor` of the page before.
    #[param(required = false)]
    pub cursor: Option<String>,
}

impl ListQuery {
    /// `list` names the list and its filter; a cursor of another one is refused.
    pub fn page(&self, o: &OrganizationId, list: &str) -> Result<PageRequest, Failure> {
        let before = match &self.cursor {
            None => None,
            Some(cursor) => {
                let last = cursor::decode(o, list, cursor);
                Some(last.ok_or_else(|| Failure::invalid("cursor", "cursor is damaged, or belongs to another list."))?)
            }
        };
        Ok(PageRequest { limit: self.limit, before })
    }
}

impl<T> List<T> {
    pub fn new(page: Page<T>, o: &OrganizationId, list: &str) -> Self {
        List { next_cursor: page.next.map(|last| cursor::encode(o, list, &last)), data: page.items }
    }
}

fn limit(text: &str) -> Result<usize, Failure> {
    let well_formed = !text.is_empty() && text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    well_formed
        .then(|| text.parse().ok())
        .flatten()
        .filter(|limit| (1..=MOST).contains(limit))
        .ok_or_else(|| Failure::invalid("limit", format!("limit must be an integer from 1 to {MOST}.")))
}

/// What a list may be narrowed to.
pub trait Filter: Sized + Send {
    const NAME: &'static str;

    /// `Err` says what the value must be.
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

/// The query parameters of a list that takes a filter.
#[derive(Debug)]
pub struct FilteredList<F> {
    pub query: ListQuery,
    pub filter: Option<F>,
}

impl<F: Filter> FilteredList<F> {
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
            return Err(Failure::invalid(name, "The parameter is given twice."));
        }
        match name.as_ref() {
            "limit" => query.limit = limit(&value)?,
            "cursor" => query.cursor = Some(value.into_owned()),
            other if Some(other) == filter => filtered = Some(value.into_owned()),
            _ => return Err(Failure::invalid(name, "This list has no such parameter.")),
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
