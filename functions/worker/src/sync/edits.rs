//! The changes of a sync: the differences between the platform's templates and the stored ones, grouped into
//! transactions.

use std::collections::{BTreeMap, HashMap};

use domain::Timestamp;
use domain::chat::Template;
use domain::id::ChatBusinessProfileId;
use platform::PlatformTemplate;
use store::{BULK_WRITES, NameItem, StoredTemplate, SyncOutcome};

/// The counters of the run are one more write.
const WRITES_PER_TRANSACTION: usize = BULK_WRITES - 1;
/// Less than a third of the limit of a transaction: a template is written three times, in its two items and in its event.
const TRANSACTION_BYTES: usize = 1_000_000;

/// The change of one stored template.
pub(super) struct Edit {
    pub(super) kind: EditKind,
    pub(super) name: NameItem,
}

pub(super) enum EditKind {
    Add(StoredTemplate),
    Change(Box<States>),
    /// Writes only the item by name and language: for templates from before that item existed, and where several
    /// templates have had the same name.
    Name(Box<States>),
    Remove(StoredTemplate),
}

/// The states of a template before and after its change.
pub(super) struct States {
    pub(super) before: StoredTemplate,
    pub(super) after: StoredTemplate,
}

impl States {
    fn is_renamed(&self) -> bool {
        let (before, after) = (&self.before.template, &self.after.template);
        before.name != after.name || before.language != after.language
    }
}

/// The rank of a template among those with its name and language, which belong to the highest one. Templates on the
/// platform rank above those that were removed there, then newer ones above older ones. The order of the fields is the
/// order of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank<'a> {
    is_listed: bool,
    created_at: Timestamp,
    id: &'a str,
}

/// The template that a name and language belongs to.
struct Holder<'a> {
    rank: Rank<'a>,
    is_contended: bool,
}

/// The holders by name, then by language.
struct Holders<'a>(HashMap<&'a str, HashMap<&'a str, Holder<'a>>>);

impl<'a> Holders<'a> {
    fn of(
        stored: &'a BTreeMap<String, StoredTemplate>,
        listed: &'a BTreeMap<String, PlatformTemplate>,
        now: Timestamp,
    ) -> Self {
        let mut holders = Holders(HashMap::new());
        for template in listed.values() {
            let created_at = stored.get(&template.id).map_or(now, |stored| stored.template.created_at);
            holders.add(&template.name, &template.language, Rank { is_listed: true, created_at, id: &template.id });
        }
        for StoredTemplate { template, .. } in stored.values() {
            let is_listed = listed.contains_key(&template.id);
            let (Some(name), Some(language)) = (&template.name, &template.language) else { continue };
            holders.add(name, language, Rank { is_listed, created_at: template.created_at, id: &template.id });
        }
        holders
    }

    fn add(&mut self, name: &'a str, language: &'a str, rank: Rank<'a>) {
        let of_name = self.0.entry(name).or_default();
        let holder = of_name.entry(language).or_insert(Holder { rank, is_contended: false });
        holder.is_contended |= holder.rank.id != rank.id;
        holder.rank = holder.rank.max(rank);
    }

    fn get(&self, template: &Template) -> Option<&Holder<'a>> {
        self.0.get(template.name.as_deref()?)?.get(template.language.as_deref()?)
    }

    /// Returns the effect of a write on the items by name of these states of one template. At most one template of a
    /// name writes its item: a transaction must not write an item twice.
    fn name_item<const N: usize>(&self, states: [&Template; N]) -> NameItem {
        // A state without a name has no item.
        let named = states.into_iter().filter(|state| state.name.is_some() && state.language.is_some());
        let holders: Vec<_> = named.map(|state| self.get(state).filter(|holder| holder.rank.id == state.id)).collect();
        if holders.iter().any(Option::is_none) {
            NameItem::Stays
        } else if holders.iter().flatten().any(|holder| holder.is_contended) {
            NameItem::Moves
        } else {
            NameItem::Follows
        }
    }

    /// Returns whether the item by name must be written although the template has not changed.
    fn must_name(&self, stored: &StoredTemplate) -> bool {
        let holder = self.get(&stored.template);
        let has_won = holder.is_some_and(|holder| holder.is_contended && holder.rank.id == stored.template.id);
        !stored.is_named || has_won
    }
}

pub(super) fn edits(
    stored: Vec<StoredTemplate>,
    listed: &BTreeMap<String, PlatformTemplate>,
    profile: &ChatBusinessProfileId,
    now: Timestamp,
) -> Vec<Edit> {
    let stored: BTreeMap<String, StoredTemplate> =
        stored.into_iter().map(|stored| (stored.template.id.clone(), stored)).collect();
    let holders = Holders::of(&stored, listed, now);
    let mut edits = Vec::new();
    for listed in listed.values() {
        let mut template = template(listed, profile, now);
        let Some(before) = stored.get(&listed.id) else {
            let name = holders.name_item([&template]);
            edits.push(Edit { kind: EditKind::Add(to_store(template, 1, now)), name });
            continue;
        };

        // The platform can omit it; then the sent value is kept.
        let known = before.template.message_send_ttl_seconds;
        template.message_send_ttl_seconds = template.message_send_ttl_seconds.or(known);

        let states = |after| Box::new(States { before: before.clone(), after });
        if before.template.differs_from(&template) {
            let name = holders.name_item([&before.template, &template]);
            let template = Template { created_at: before.template.created_at, ..template };
            let after =
                StoredTemplate { edited_at: before.edited_at.clone(), ..to_store(template, before.revision + 1, now) };
            edits.push(Edit { kind: EditKind::Change(states(after)), name });
        } else if holders.must_name(before) {
            let after = StoredTemplate { is_named: true, revision: before.revision + 1, ..before.clone() };
            edits.push(Edit { kind: EditKind::Name(states(after)), name: holders.name_item([&before.template]) });
        }
    }

    for gone in stored.values().filter(|stored| !listed.contains_key(&stored.template.id)) {
        let name = holders.name_item([&gone.template]);
        edits.push(Edit { kind: EditKind::Remove(gone.clone()), name });
    }
    edits
}

fn to_store(template: Template, revision: u64, now: Timestamp) -> StoredTemplate {
    let (status_at, quality_at, category_at) = (now, now, now);
    StoredTemplate {
        template,
        status_at,
        quality_at,
        category_at,
        components_at: None,
        is_named: true,
        edited_at: Vec::new(),
        revision,
    }
}

pub(super) fn count(edits: &[Edit]) -> SyncOutcome {
    let mut counts = SyncOutcome::default();
    for edit in edits {
        match edit.kind {
            EditKind::Add(_) => counts.added += 1,
            EditKind::Change(_) => counts.updated += 1,
            EditKind::Remove(_) => counts.removed += 1,
            EditKind::Name(_) => {}
        }
    }
    counts
}

fn template(listed: &PlatformTemplate, profile: &ChatBusinessProfileId, now: Timestamp) -> Template {
    Template {
        id: listed.id.clone(),
        chat_business_profile_id: profile.clone(),
        name: Some(listed.name.clone()),
        language: Some(listed.language.clone()),
        category: Some(listed.category.clone()),
        status: listed.status.clone(),
        components: Some(listed.components.clone().into()),
        parameter_format: listed.parameter_format.clone(),
        message_send_ttl_seconds: listed.message_send_ttl_seconds,
        quality_score: listed.quality_score.clone(),
        rejected_reason: listed.rejected_reason.clone(),
        created_at: now,
        updated_at: now,
    }
}

impl Edit {
    fn stored(&self) -> &StoredTemplate {
        match &self.kind {
            EditKind::Add(stored) | EditKind::Remove(stored) => stored,
            EditKind::Change(states) | EditKind::Name(states) => &states.after,
        }
    }

    /// Returns the approximate number of bytes that the template takes in a transaction.
    fn bytes(&self) -> usize {
        self.stored().template.components.as_ref().map_or(0, |components| components.as_str().len()) + 1000
    }

    /// Returns the largest number of writes: the item, the event, the items by its old and new names, and what needed attention
    /// before and does now.
    fn writes(&self) -> usize {
        let needs = |stored: &StoredTemplate| usize::from(stored.template.need().is_some());
        match &self.kind {
            EditKind::Change(states) => {
                3 + usize::from(states.is_renamed()) + needs(&states.before) + needs(&states.after)
            }
            EditKind::Add(stored) | EditKind::Remove(stored) => 3 + needs(stored),
            EditKind::Name(_) => 3,
        }
    }
}

/// Splits the changes into transactions.
pub(super) fn transactions(edits: Vec<Edit>) -> Vec<Vec<Edit>> {
    let mut transactions: Vec<Vec<Edit>> = Vec::new();
    let (mut bytes, mut writes) = (0, 0);
    for edit in edits {
        bytes += edit.bytes();
        writes += edit.writes();
        match transactions.last_mut() {
            Some(last) if writes <= WRITES_PER_TRANSACTION && bytes <= TRANSACTION_BYTES => last.push(edit),
            _ => {
                (bytes, writes) = (edit.bytes(), edit.writes());
                transactions.push(vec![edit]);
            }
        }
    }
    transactions
}
