//! What needs attention in an organization: one partition, sorted by severity. An entry is written and deleted by
//! the transaction that changes the object (`objects.rs` says what each state needs), so it is there exactly as long as its
//! reason. What only time brings is written ahead, and shown from its time on. Limits that are nearly used follow from the
//! counters of the organization (`limits.rs`).

mod limits;
mod objects;

use domain::attention::{Need, NeedKind, SPEND_LIMIT_SHOWN, place};
use domain::audit::TargetKind;
use domain::id::Identifier as _;
use domain::page::NEEDS_LOOKED_AT;
use domain::{Failure, Mode, Timestamp};
use futures_util::future::try_join;
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::engine::change::{Change, never};
use crate::engine::expression::Update;
use crate::engine::item::{Item, TTL, entities, number};
use crate::engine::page::{Page, PageRequest};
use crate::engine::table::Range;
use crate::{OrganizationStore, keys};

pub(crate) use objects::Needing;

impl Change {
    /// Writes the differences between the needs of two states of an object. The time since when something needs attention is
    /// that of the first state.
    pub(crate) fn attend(&mut self, before: &[Need], after: &[Need]) -> Result<(), Failure> {
        let is_same = |a: &Need, b: &Need| a.place() == b.place();
        for gone in before.iter().filter(|before| !after.iter().any(|after| is_same(after, before))) {
            self.delete_any(keys::need(&self.organization, &gone.place()));
        }
        for need in after {
            let known = before.iter().find(|before| is_same(before, need));
            if known.is_none_or(|known| Need { since: need.since, ..known.clone() } != *need) {
                self.write_need(need)?;
            }
        }
        Ok(())
    }

    /// Deletes what needs attention of these kinds in an object, if there is anything.
    pub(crate) fn forget_needs(&mut self, kinds: &[NeedKind], target: &str) {
        for kind in kinds {
            self.delete_any(keys::need(&self.organization, &place(*kind, target)));
        }
    }

    fn write_need(&mut self, need: &Need) -> Result<(), Failure> {
        let key = keys::need(&self.organization, &need.place());
        let mut write = Update::overwriting(key, &WithoutSince::from(need), &["shownFrom", "endsAt"])?;
        if let Some(since) = need.since {
            write = write.set_if_absent("since", &since)?;
        }
        write = match need.ends_at {
            Some(at) => write.set_value(TTL, number(at.seconds())),
            None => write.remove(TTL),
        };
        self.update(write, never());
        Ok(())
    }
}

/// A need without the time since when, which the first write decides.
#[skip_serializing_none]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WithoutSince<'a> {
    kind: NeedKind,
    target_kind: TargetKind,
    target: &'a str,
    mode: Mode,
    message: &'a str,
    part: Option<&'a str>,
    shown_from: Option<Timestamp>,
    ends_at: Option<Timestamp>,
}

impl<'a> From<&'a Need> for WithoutSince<'a> {
    fn from(need: &'a Need) -> Self {
        let Need { kind, target_kind, target, mode, since: _, message, part, shown_from, ends_at } = need;
        WithoutSince {
            kind: *kind,
            target_kind: *target_kind,
            target,
            mode: *mode,
            message,
            part: part.as_deref(),
            shown_from: *shown_from,
            ends_at: *ends_at,
        }
    }
}

impl OrganizationStore {
    /// Returns a page of what needs attention, the most severe first. A page can be short although more follow: at most 200 are
    /// looked at.
    pub async fn needs(&self, request: &PageRequest, is_wanted: impl Fn(&Need) -> bool) -> Result<Page<Need>, Failure> {
        // Sorts after the place and before every later one.
        let from = request.before.as_ref().map(|place| format!("{place}!"));
        let range = Range {
            from: from.as_deref(),
            limit: Some(NEEDS_LOOKED_AT),
            ..Range::whole(keys::needs(&self.organization))
        };
        let (kept, counters) = try_join(self.table.query(range), self.counters()).await?;
        let mut found: Vec<Need> = entities(kept)?;
        // What follows the last one is on the next page.
        let last = found.last().map(Need::place).filter(|_| found.len() == NEEDS_LOOKED_AT);
        let is_here = |place: &str| {
            from.as_deref().is_none_or(|from| place > from) && last.as_deref().is_none_or(|last| place <= last)
        };
        found.extend(limits::needs(&self.organization, &counters).filter(|need| is_here(&need.place())));
        found.sort_by_key(Need::place);

        let mut wanted = found.into_iter().filter(is_wanted);
        let items: Vec<Need> = wanted.by_ref().take(request.limit).collect();
        let next = match wanted.next() {
            Some(_) => items.last().map(Need::place),
            None => last,
        };
        Ok(Page { items, next })
    }

    /// Records that the carrier has refused a message because of the spend limit.
    pub async fn note_spend_limit(&self, mode: Mode, now: Timestamp) -> Result<(), Failure> {
        let id = self.organization.as_str();
        let message =
            "The carrier has refused messages in the last 24 hours, because the spend limit of the month is reached.";
        let need = Need::new(NeedKind::SpendLimitReached, (TargetKind::Organization, id), mode, now, message);
        let need = Need { ends_at: Some(now.plus(SPEND_LIMIT_SHOWN)), part: Some(mode.as_str().to_owned()), ..need };
        let mut change = Change::new(&self.organization);
        change.attend(&[], &[need])?;
        self.table.commit(&change).await.map(|_| ())
    }

    async fn counters(&self) -> Result<Item, Failure> {
        Ok(self.table.get(&keys::counters(&self.organization)).await?.unwrap_or_default())
    }
}
