//! Pages of lists whose sort keys are ksuids, newest first. A list of both modes keeps one partition a mode; reading
//! both and merging them keeps the order.

use futures_util::future::try_join_all;
use serde::de::DeserializeOwned;

use domain::Failure;

use crate::item::{Item, SORT, entity};
use crate::table::{Range, Table};

#[derive(Clone, Debug)]
pub struct PageRequest {
    pub limit: usize,
    /// Only objects whose ksuid sorts below this one: the last of the page before.
    pub before: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The ksuid after which the next page begins; `None` is the end.
    pub next: Option<String>,
}

impl<T> Page<T> {
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
    }
}

fn sort_key(item: &Item) -> &str {
    item.get(SORT).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
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
        let ranges = partitions.into_iter().map(|partition| Range {
            partition,
            before: request.before.as_deref(),
            newest_first: true,
            // One more than asked tells whether there is a next page.
            limit: Some(request.limit + 1),
        });
        let mut items: Vec<Item> =
            try_join_all(ranges.map(|range| self.query(range))).await?.into_iter().flatten().collect();
        items.sort_by(|a, b| sort_key(b).cmp(sort_key(a)));
        let more = items.len() > request.limit;
        items.truncate(request.limit);
        let next = items.last().filter(|_| more).map(|last| sort_key(last).to_owned());
        Ok(Page { items, next })
    }
}
