//! Pages of lists, in descending order of their sort keys. These are ksuids (the platform's ids in lists of templates),
//! so the newest come first. A list of both modes has one partition per mode; all partitions of a list are read and
//! merged.

use futures_util::future::try_join_all;
use serde::de::DeserializeOwned;

use domain::Failure;

use crate::engine::item::{Item, SORT, entity};
use crate::engine::table::{Range, Table};

/// The page that a caller asks for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    pub limit: usize,
    /// Only objects whose sort key is below this one, which is the last of the previous page.
    pub before: Option<String>,
}

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The sort key after which the next page begins; `None` on the last page.
    pub next: Option<String>,
}

impl<T> Page<T> {
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
    }
}

pub(crate) fn sort_key(item: &Item) -> &str {
    item.get(SORT).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

/// Returns the range of one page. It reads one item more than requested, which shows whether there is a next page.
fn page_range(partition: String, request: &PageRequest) -> Range<'_> {
    Range {
        partition,
        from: None,
        before: request.before.as_deref(),
        newest_first: true,
        limit: Some(request.limit + 1),
    }
}

impl Table {
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        partitions: Vec<String>,
        request: &PageRequest,
    ) -> Result<Page<T>, Failure> {
        let page = self.page_of_items(partitions, request).await?;
        let items = page.items.into_iter().map(entity).collect::<Result<_, _>>()?;
        Ok(Page { items, next: page.next })
    }

    pub(crate) async fn page_of_items(
        &self,
        partitions: Vec<String>,
        request: &PageRequest,
    ) -> Result<Page<Item>, Failure> {
        let ranges = partitions.into_iter().map(|partition| page_range(partition, request));
        let mut items: Vec<Item> =
            try_join_all(ranges.map(|range| self.query(range))).await?.into_iter().flatten().collect();
        items.sort_by(|a, b| sort_key(b).cmp(sort_key(a)));
        let more = items.len() > request.limit;
        items.truncate(request.limit);
        let next = items.last().filter(|_| more).map(|last| sort_key(last).to_owned());
        Ok(Page { items, next })
    }
}
