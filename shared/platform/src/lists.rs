//! The lists of the platform, which are read page by page. A page names the cursor of the next one. A caller either gets
//! single pages, with their cursors, or the whole list.

use std::collections::HashSet;

use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph};
use crate::vault::AccessToken;

/// The platform's maximum page size.
pub(crate) const PAGE_SIZE: &str = "100";

/// A page of a list that the platform keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPage<T> {
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub after: Option<String>,
}

/// A page of a list as the platform sends it. It is the last page if `next` is absent, except as
/// [`Edge::after_full_page`] says; a short page may be followed by others.
#[derive(Deserialize)]
pub(crate) struct Edge<T> {
    pub(crate) data: Vec<T>,
    paging: Option<Paging>,
}

#[derive(Deserialize)]
struct Paging {
    cursors: Option<Cursors>,
    next: Option<Value>,
}

#[derive(Deserialize)]
struct Cursors {
    after: Option<String>,
}

impl<T> Edge<T> {
    /// Returns the cursor of the next page. Fails if there is a next page, but no cursor.
    pub(crate) fn after(&self) -> PlatformResult<Option<String>> {
        let Some(paging) = self.paging.as_ref().filter(|paging| paging.next.is_some()) else { return Ok(None) };
        let after = paging.cursors.as_ref().and_then(|cursors| cursors.after.clone());
        let after = after.filter(|after| !after.is_empty());
        after.map(Some).ok_or_else(|| PlatformError::unreadable(StatusCode::OK.as_u16()))
    }

    /// Returns the cursor of the next page of a list whose responses have cursors and, in the platform's examples, no
    /// `next`: a full page may then be followed by another one, which is empty at worst. `limit` and `before` are the
    /// limit and the cursor of the request.
    fn after_full_page(&self, limit: usize, before: Option<&str>) -> PlatformResult<Option<String>> {
        match self.after()? {
            None if self.data.len() >= limit => {
                let cursors = self.paging.as_ref().and_then(|paging| paging.cursors.as_ref());
                let after = cursors.and_then(|cursors| cursors.after.clone());
                Ok(after.filter(|after| !after.is_empty() && Some(after.as_str()) != before))
            }
            next => Ok(next),
        }
    }
}

impl Graph {
    /// Returns a page of at most `limit` elements; `after` is the cursor of the previous page.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        token: &AccessToken,
        path: String,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<T>> {
        let most = limit.to_string();
        let mut query = vec![("limit", most.as_str())];
        query.extend(after.map(|after| ("after", after)));
        let page: Edge<T> = self.call(token, Call::get(path, &query)).await?;
        let after = page.after_full_page(limit, after)?;
        Ok(ListPage { items: page.data, after })
    }

    /// Returns all elements of a list. `query` selects them and their fields.
    pub(crate) async fn whole_list<T: DeserializeOwned>(
        &self,
        token: &AccessToken,
        path: &str,
        query: &[(&str, &str)],
    ) -> PlatformResult<Vec<T>> {
        let (mut all, mut seen, mut after) = (Vec::new(), HashSet::new(), None::<String>);
        loop {
            let mut query = query.to_vec();
            query.push(("limit", PAGE_SIZE));
            query.extend(after.as_deref().map(|after| ("after", after)));
            let page: Edge<T> = self.call(token, Call::get(path.to_owned(), &query)).await?;
            let next = page.after()?;
            all.extend(page.data);
            match next {
                None => return Ok(all),
                Some(next) if seen.insert(next.clone()) => after = Some(next),
                Some(_) => return Err(PlatformError::repeated_cursor()),
            }
        }
    }
}
