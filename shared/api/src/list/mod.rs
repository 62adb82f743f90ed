//! The query parameters of lists: `limit`, `cursor` and filters.

mod filter;
mod sent;

use axum::extract::FromRequestParts;
use domain::Failure;
use domain::id::OrganizationId;
use http::request::Parts;
use store::PageRequest;
use utoipa::IntoParams;

use crate::answer::Rejection;
use crate::cursor;

pub use filter::{Filter, Filters, SentFilters};
pub(crate) use sent::Sent;
use sent::unknown;

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

/// The query parameters of a list that can be filtered by several values.
#[derive(Debug)]
pub struct ListBy<F> {
    pub query: ListQuery,
    pub filters: F,
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
        let (most, default) = F::LIMIT;
        let (query, sent) = sent.validated_up_to(most, default, F::NAMES)?;
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
