//! Pages of lists whose sort keys are ksuids, newest first. A list of both modes has one partition per mode; both are
//! read and merged.

use futures_util::future::try_join_all;
use serde::de::DeserializeOwned;

use domain::{Failure, Mode};

use crate::item::{Item, SORT, entity};
use crate::table::{Range, Table};

/// The page that a caller asks for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    pub limit: usize,
    /// Only objects whose ksuid sorts below this one, which is the last of the previous page.
    pub before: Option<String>,
}

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The ksuid after which the next page begins; `None` on the last page.
    pub next: Option<String>,
}

impl<T> Page<T> {
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
    }
}

/// A page of each mode, read before the caller's credential has proven which modes the caller may see.
pub struct PageOfEachMode<T> {
    limit: usize,
    /// Items with their ksuids, newest first. Of each mode there is one more than requested.
    items: Vec<(Mode, String, T)>,
}

impl<T> PageOfEachMode<T> {
    /// Returns the page for a caller of this mode.
    pub fn seen_by(self, mode: Mode) -> Page<T> {
        let mut seen: Vec<_> = self.items.into_iter().filter(|(own, ..)| mode.sees(*own)).collect();
        let more = seen.len() > self.limit;
        seen.truncate(self.limit);
        let next = seen.last().filter(|_| more).map(|(_, ksuid, _)| ksuid.clone());
        Page { items: seen.into_iter().map(|(.., item)| item).collect(), next }
    }
}

fn sort_key(item: &Item) -> &str {
    item.get(SORT).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

/// Returns the range of one page. It reads one item more than requested, which tells whether there is a next page.
fn beginning(partition: String, request: &PageRequest) -> Range<'_> {
    Range { partition, before: request.before.as_deref(), newest_first: true, limit: Some(request.limit + 1) }
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

    pub(crate) async fn page_of_each_mode<T: DeserializeOwned>(
        &self,
        partition: impl Fn(Mode) -> String,
        request: &PageRequest,
    ) -> Result<PageOfEachMode<T>, Failure> {
        let of_mode = async |mode| {
            let page = self.query(beginning(partition(mode), request)).await?;
            let with_key = |item: Item| Ok((mode, sort_key(&item).to_owned(), entity(item)?));
            page.into_iter().map(with_key).collect::<Result<Vec<_>, Failure>>()
        };
        let pages = try_join_all(Mode::ALL.map(of_mode)).await?;
        let mut items: Vec<(Mode, String, T)> = pages.into_iter().flatten().collect();
        items.sort_by(|(_, a, _), (_, b, _)| b.cmp(a));
        Ok(PageOfEachMode { limit: request.limit, items })
    }

    pub(crate) async fn page_of_items(
        &self,
        partitions: Vec<String>,
        request: &PageRequest,
    ) -> Result<Page<Item>, Failure> {
        let ranges = partitions.into_iter().map(|partition| beginning(partition, request));
        let mut items: Vec<Item> =
            try_join_all(ranges.map(|range| self.query(range))).await?.into_iter().flatten().collect();
        items.sort_by(|a, b| sort_key(b).cmp(sort_key(a)));
        let more = items.len() > request.limit;
        items.truncate(request.limit);
        let next = items.last().filter(|_| more).map(|last| sort_key(last).to_owned());
        Ok(Page { items, next })
    }
}
