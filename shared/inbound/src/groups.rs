//! Updates of groups: creation, suspension, deletion, settings, and participants who joined or left.

use domain::chat::status::Person;
use domain::chat::{Group, GroupStatus, Member};
use domain::{Failure, Timestamp};
use serde_json::value::RawValue;
use store::{Change, EarlyGroup, LARGEST_NEWS, RequestedGroup};

use crate::apply::UpdateHandler;
use crate::lenient::{self, Object};
use crate::size::cut;
use crate::wire::person;

struct GroupUpdate {
    kind: String,
    timestamp: Option<Timestamp>,
    group_id: Option<String>,
    request_id: Option<String>,
    invite_link: Option<String>,
    has_failed: bool,
    added_participants: Vec<Person>,
    removed_participants: Vec<Person>,
    subject: Option<String>,
    description: Option<String>,
}

impl GroupUpdate {
    fn read(group: &mut Object<'_>) -> Self {
        GroupUpdate {
            kind: group.text("type").unwrap_or_default(),
            timestamp: group.time("timestamp"),
            group_id: group.id("group_id"),
            request_id: group.id("request_id"),
            invite_link: group.text("invite_link"),
            has_failed: group.raw("errors").is_some_and(|errors| !matches!(errors.get(), "[]" | "{}" | "\"\"")),
            added_participants: participants(group.raw_list("added_participants")),
            removed_participants: participants(group.raw_list("removed_participants")),
            subject: group.object("group_subject", setting).flatten(),
            description: group.object("group_description", setting).flatten(),
        }
    }

    fn members(&self, default_at: Timestamp) -> Vec<Member> {
        let at = self.timestamp.unwrap_or(default_at);
        let added = self.added_participants.iter().map(|person| (person, true));
        let removed = self.removed_participants.iter().map(|person| (person, false));
        let member = |(person, is_in): (&Person, bool)| {
            let Person { phone_number, user_id } = person.clone();
            Member { phone_number, user_id, is_in, at }
        };
        added.chain(removed).map(member).collect()
    }
}

/// Reads participants: objects, or texts with their number.
fn participants(sent: Vec<&RawValue>) -> Vec<Person> {
    let read = |participant: &mut Object<'_>| {
        let (input, wa_id) = (participant.id("input"), participant.id("wa_id"));
        // An input that is not a phone number is a user id.
        let by_input = person(input, None);
        let known = person(wa_id, participant.id("user_id"));
        Person {
            user_id: known.user_id.or(by_input.user_id),
            phone_number: known.phone_number.or(by_input.phone_number),
        }
    };
    let of = |raw: &RawValue| match lenient::read(raw, read) {
        Some(reading) => reading.value,
        None => person(lenient::text(raw), None),
    };
    sent.into_iter().map(of).filter(|person| !person.is_unknown()).collect()
}

/// Returns the new value of a setting, if it was changed.
fn setting(setting: &mut Object<'_>) -> Option<String> {
    let text = setting.text("text");
    if setting.flag("update_successful") == Some(true) { Some(text.unwrap_or_default()) } else { None }
}

impl UpdateHandler<'_> {
    pub(crate) async fn group(&self) -> Result<Change, Failure> {
        let (sent, _) = self.read(GroupUpdate::read)?;
        match (sent.kind.as_str(), sent.request_id.as_deref()) {
            ("group_create", Some(request)) => self.group_created(request, &sent).await,
            _ => self.group_changed(sent).await,
        }
    }

    /// Applies the platform's response to a request for a group. It can arrive before the request has been stored.
    async fn group_created(&self, request: &str, sent: &GroupUpdate) -> Result<Change, Failure> {
        let number = self.number_id()?;
        let early = EarlyGroup {
            provider_group_id: sent.group_id.clone(),
            invite_link: sent.invite_link.clone(),
            has_failed: sent.has_failed,
            members: sent.members(self.reported_at()),
        };

        let mut change = self.change();
        let known = match self.store.requested_group(number, request).await? {
            Some(RequestedGroup::Known(id)) => self.store.group(&id).await?,
            Some(RequestedGroup::Early(seen)) if seen == early => return Ok(change),
            Some(RequestedGroup::Early(_)) | None => {
                change.note_early_group(number, request, &early, self.now)?;
                return Ok(change);
            }
        };

        let Some(before) = known.filter(|group| group.status == GroupStatus::Pending) else { return Ok(change) };
        let news = match &early.provider_group_id {
            Some(id) => self.store.early_group_news(number, id).await?,
            None => Vec::new(),
        };
        let after = created(&before, &early, &news);
        self.write_group(change, &before, after, &news)
    }

    async fn group_changed(&self, sent: GroupUpdate) -> Result<Change, Failure> {
        let known = match &sent.group_id {
            Some(id) => self.store.group_of_platform(self.number_id()?, id).await?,
            None => None,
        };
        let Some(before) = known else { return self.group_unknown(&sent) };
        let mut change = self.idempotent_change();
        let mut after = before.clone();
        apply(&mut after, sent, self.reported_at());
        if before.status != GroupStatus::Deleted && after.status == GroupStatus::Deleted {
            change.forget_platform_group(&before);
        }
        self.write_group(change, &before, after, &[])
    }

    /// Stores an update of an unknown group, whose creation might be reported later. Updates of groups that were not
    /// created here expire.
    fn group_unknown(&self, sent: &GroupUpdate) -> Result<Change, Failure> {
        let mut change = self.change();
        if let Some(id) = &sent.group_id {
            let shortened = cut(&self.update.body, LARGEST_NEWS);
            let news = shortened.as_deref().unwrap_or(&self.update.body);
            change.note_early_group_news(self.number_id()?, id, news.get(), self.now)?;
        }
        Ok(change)
    }

    fn write_group(
        &self,
        mut change: Change,
        before: &Group,
        mut after: Group,
        news: &[String],
    ) -> Result<Change, Failure> {
        if after != *before {
            after.revision += 1;
            after.updated_at = self.now;
            change.update_group(before, &after, news)?;
        }
        Ok(change)
    }
}

/// Returns the group after its creation was reported; `news` holds the updates that arrived earlier.
pub fn created(requested: &Group, early: &EarlyGroup, news: &[String]) -> Group {
    let mut group = Group {
        status: if early.has_failed { GroupStatus::Failed.into() } else { GroupStatus::Active.into() },
        provider_group_id: early.provider_group_id.clone(),
        invite_link: early.invite_link.clone(),
        ..requested.clone()
    };
    for member in &early.members {
        group.note_member(member.clone());
    }
    for news in news.iter().filter_map(|news| serde_json::from_str::<&RawValue>(news).ok()) {
        if let Some(sent) = lenient::read(news, GroupUpdate::read) {
            apply(&mut group, sent.value, requested.created_at);
        }
    }
    group
}

/// Applies an update to a group. `default_at` is the time of an update without a timestamp.
fn apply(group: &mut Group, sent: GroupUpdate, default_at: Timestamp) {
    let at = sent.timestamp.unwrap_or(default_at);
    let status = match sent.kind.as_str() {
        "group_delete" => Some(GroupStatus::Deleted),
        "group_suspend" => Some(GroupStatus::Suspended),
        "group_suspend_cleared" => Some(GroupStatus::Active),
        _ => None,
    };

    // A deleted group stays deleted; otherwise the latest status wins.
    let is_newer = group.status_at.is_none_or(|known| at >= known);
    if let Some(status) = status.filter(|status| *status == GroupStatus::Deleted || is_newer)
        && group.status != GroupStatus::Deleted
    {
        group.status = status.into();
        group.status_at = Some(at);
    }

    for member in sent.members(default_at) {
        group.note_member(member);
    }
    if let Some(subject) = sent.subject.filter(|subject| !subject.is_empty())
        && group.subject_at.is_none_or(|known| at >= known)
    {
        group.subject = subject;
        group.subject_at = Some(at);
    }
    if let Some(description) = sent.description
        && group.description_at.is_none_or(|known| at >= known)
    {
        group.description = Some(description).filter(|description| !description.is_empty());
        group.description_at = Some(at);
    }
}
