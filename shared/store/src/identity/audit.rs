//! The audit log. An entry is written in the transaction of the change that it describes, so that it exists exactly if the
//! change does.

use domain::audit::{ActorKind, DENIALS_PER_HOUR, Entry, Outcome};
use domain::id::first_ksuid_at;
use domain::page::AUDIT_ENTRIES_LOOKED_AT;
use domain::{Failure, Mode, Timestamp};
use futures_util::future::try_join_all;
use serde::Deserialize;

use crate::engine::change::{Change, Refused, fail_with};
use crate::engine::expression::Update;
use crate::engine::item::{Item, NewItem, TTL, VERSION, entity, number};
use crate::engine::page::{Page, PageRequest, sort_key};
use crate::engine::table::Range;
use crate::{Committed, OrganizationStore, keys};

/// How long the count of an hour's refusals is kept, in seconds.
const COUNT_SECONDS: i64 = 2 * 3600;

/// The filter of the audit log.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub actor: Option<WantedActor>,
    pub action: Option<String>,
    /// The id of the target.
    pub target: Option<String>,
    pub outcome: Option<Outcome>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

/// Whose entries are wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum WantedActor {
    OfKind(ActorKind),
    WithId(String),
}

#[derive(Deserialize)]
struct Stored {
    #[serde(flatten)]
    entry: Entry,
    ttl: Option<i64>,
}

impl AuditFilter {
    fn selects(&self) -> bool {
        self.actor.is_some() || self.action.is_some() || self.target.is_some() || self.outcome.is_some()
    }

    fn matches(&self, entry: &Entry) -> bool {
        let of_actor = match &self.actor {
            None => true,
            Some(WantedActor::OfKind(kind)) => entry.actor.kind == *kind,
            Some(WantedActor::WithId(id)) => entry.actor.id.as_ref() == Some(id),
        };
        of_actor
            && self.action.as_deref().is_none_or(|action| entry.action == action)
            && self.target.as_ref().is_none_or(|id| entry.target.as_ref().is_some_and(|target| target.id == *id))
            && self.outcome.is_none_or(|outcome| entry.outcome == Some(outcome))
    }
}

impl Change {
    /// Adds the entry that says what the change is, as its last write. A change that changes nothing is not entered.
    pub fn enter(&mut self, entry: &Entry) -> Result<(), Failure> {
        if self.is_idle() { Ok(()) } else { self.create_entry(entry) }
    }

    fn create_entry(&mut self, entry: &Entry) -> Result<(), Failure> {
        let key = keys::audit_entry(&self.organization, entry.mode, &entry.id);
        let item = NewItem::new(&key, entry)?.ending(entry.ends_at);
        self.create(item, fail_with(|| Failure::internal("a newly minted id of an audit entry already exists")));
        Ok(())
    }
}

impl OrganizationStore {
    /// Enters what is about to be changed outside the table.
    pub async fn begin_entry(&self, entry: &Entry) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.create_entry(entry)?;
        self.table.commit(&change).await.map(|_| ())
    }

    /// Completes an entry with the outcome, and with what is known then.
    pub async fn complete_entry(&self, begun: &Entry, complete: &Entry) -> Result<(), Failure> {
        let key = keys::audit_entry(&self.organization, begun.mode, &begun.id);
        let update = Update::between(key, begun, complete, &[])?.if_present();
        self.table.try_update(update).await.map(|_| ())
    }

    /// Enters a refusal, and returns whether there was room for it in this hour.
    pub async fn enter_denial(&self, entry: &Entry, actor: &str, hour: Timestamp) -> Result<bool, Failure> {
        let mut change = Change::new(&self.organization);
        let count = Update::new(keys::denials(&self.organization, actor, hour))
            .set_value(VERSION, number(1))
            .set_value(TTL, number(hour.seconds() + COUNT_SECONDS))
            .add("denied", 1)
            .when("attribute_not_exists(#denied) OR #denied < :most")
            .value(":most", number(DENIALS_PER_HOUR));
        change.update(count, Box::new(|_| Refused::AlreadyDone));
        change.enter(entry)?;
        Ok(matches!(self.table.commit(&change).await?, Committed::Done))
    }

    /// Returns a page of entries as a caller of this mode sees them, newest first. A page can be short although more follow:
    /// at most 200 entries of each mode are read. Entries that have ended are hidden.
    pub async fn audit_entries(
        &self,
        caller: Mode,
        filter: &AuditFilter,
        page: &PageRequest,
        now: Timestamp,
    ) -> Result<Page<Entry>, Failure> {
        let from = filter.since.map(first_ksuid_at);
        let until = filter.until.map(first_ksuid_at);
        let before = [page.before.as_deref(), until.as_deref()].into_iter().flatten().min();
        let most = if filter.selects() { AUDIT_ENTRIES_LOOKED_AT } else { page.limit + 1 };
        let ranges = caller.visible().iter().map(|&mode| Range {
            partition: keys::audit_entries(&self.organization, mode),
            from: from.as_deref(),
            before,
            newest_first: true,
            limit: Some(most),
        });
        let read = try_join_all(ranges.map(|range| self.table.query(range))).await?;

        let mut items: Vec<Item> = read.into_iter().flatten().collect();
        items.sort_by(|a, b| sort_key(b).cmp(sort_key(a)));
        // Beyond that, entries of another mode may be missing.
        let looked_at = if items.len() >= most { sort_key(&items[most - 1]).to_owned() } else { String::new() };
        items.truncate(most);
        let mut found = Vec::new();
        for item in items {
            let Stored { entry, ttl } = entity(item)?;
            let entry = entry.seen_by(caller);
            found
                .extend(Some(entry).filter(|entry| ttl.is_none_or(|ttl| ttl > now.seconds()) && filter.matches(entry)));
        }
        let is_cut = found.len() > page.limit;
        found.truncate(page.limit);
        let last = if is_cut { found.last().map(|entry| entry.id.ksuid().to_owned()) } else { Some(looked_at) };
        Ok(Page { items: found, next: last.filter(|last| !last.is_empty()) })
    }
}
