//! A log in several partitions, newest first, of which a page reads a bounded number of items and bytes, however few of them
//! match a filter. The partitions are read in small steps and merged.

use domain::Failure;
use futures_util::future::try_join_all;
use serde::de::DeserializeOwned;

use crate::engine::item::{entity, size};
use crate::engine::page::{Page, PageRequest, sort_key};
use crate::engine::table::{Range, Table};

/// The sort keys between which a log is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    pub(crate) from: Option<String>,
    /// Only lower ones.
    pub(crate) until: Option<String>,
}

/// How much a page reads at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    pub(crate) items: usize,
    pub(crate) bytes: usize,
    /// The size of the largest item.
    pub(crate) of_one: usize,
}

/// One partition, read from its newest item on.
struct Partition {
    key: String,
    /// The sort key of the last item that was read.
    last: Option<String>,
    is_exhausted: bool,
}

/// The state of reading one page.
pub(crate) struct Log<T> {
    partitions: Vec<Partition>,
    span: Span,
    most: Most,
    /// Returns the sort key of an entity.
    place: fn(&T) -> &str,
    /// The entities that match, of all partitions.
    found: Vec<T>,
    items_read: usize,
    bytes_read: usize,
}

impl<T: DeserializeOwned> Log<T> {
    pub(crate) fn new(partitions: impl Iterator<Item = String>, span: Span, most: Most, place: fn(&T) -> &str) -> Self {
        let begin = |key| Partition { key, last: None, is_exhausted: false };
        let partitions = partitions.map(begin).collect();
        Log { partitions, span, most, place, found: Vec::new(), items_read: 0, bytes_read: 0 }
    }

    /// Reads the page that `request` asks for. It may be short, or empty, and yet not the last one.
    pub(crate) async fn page(
        mut self,
        table: &Table,
        request: &PageRequest,
        matches: impl Fn(&T) -> bool,
    ) -> Result<Page<T>, Failure> {
        let before = request.before.iter().chain(&self.span.until).min().cloned();
        self.partitions.iter_mut().for_each(|partition| partition.last.clone_from(&before));
        let (limit, place, mut merged) = (request.limit, self.place, 0);
        while let Some(step) = self.next_step()
            && merged < limit
        {
            self.read(table, step, &matches).await?;
            self.found.sort_by(|a, b| place(b).cmp(place(a)));
            let horizon = self.horizon();
            merged = self.found.partition_point(|found| horizon.is_none_or(|horizon| place(found) >= horizon));
        }

        let horizon = self.horizon().map(str::to_owned);
        let is_cut = merged > limit || (merged == limit && horizon.is_some());
        self.found.truncate(merged.min(limit));
        let next = if is_cut { self.found.last().map(|last| place(last).to_owned()) } else { horizon };
        Ok(Page { items: self.found, next })
    }

    /// Returns how many items may be read next from each partition, or `None` if there are none left or the page may read no
    /// more.
    fn next_step(&self) -> Option<usize> {
        let open = self.partitions.iter().filter(|partition| !partition.is_exhausted).count();
        let by_items = self.most.items.saturating_sub(self.items_read).checked_div(open)?;
        let by_bytes = self.most.bytes.saturating_sub(self.bytes_read).checked_div(open * self.most.of_one)?;
        Some(by_items.min(by_bytes)).filter(|step| *step > 0)
    }

    async fn read(&mut self, table: &Table, step: usize, matches: impl Fn(&T) -> bool) -> Result<(), Failure> {
        let from = self.span.from.as_deref();
        let mut open: Vec<_> = self.partitions.iter_mut().filter(|partition| !partition.is_exhausted).collect();
        let pages = open.iter().map(|partition| {
            let (key, before) = (partition.key.clone(), partition.last.as_deref());
            table.query(Range { partition: key, from, before, newest_first: true, limit: Some(step) })
        });
        let pages = try_join_all(pages).await?;

        for (partition, page) in open.iter_mut().zip(pages) {
            partition.is_exhausted = page.len() < step;
            if let Some(last) = page.last() {
                partition.last = Some(sort_key(last).to_owned());
            }
            self.items_read += page.len();
            for item in page {
                self.bytes_read += size(&item);
                self.found.extend(Some(entity(item)?).filter(&matches));
            }
        }

        Ok(())
    }

    /// Returns the lowest sort key down to which all partitions have been read; `None` if they have been read to their
    /// ends.
    fn horizon(&self) -> Option<&str> {
        let open = self.partitions.iter().filter(|partition| !partition.is_exhausted);
        open.filter_map(|partition| partition.last.as_deref()).max()
    }
}
