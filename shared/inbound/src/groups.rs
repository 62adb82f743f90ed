//! The life of groups: made, suspended, deleted, renamed; who joined and who left.

use domain::chat::{Group, GroupStatus, Member};
use domain::{Failure, Timestamp};
use serde::Deserialize;
use store::{Change, EarlyGroup, RequestedGroup};

use crate::apply::Applying;
use crate::content::phone;
use crate::loose::{Loose, list};
use crate::wire::{PlatformError, read, said};

#[derive(Deserialize)]
struct GroupUpdate {
    #[serde(rename = "type", default)]
    kind: String,
    timestamp: Option<Loose>,
    group_id: Option<String>,
    request_id: Option<String>,
    invite_link: Option<String>,
    #[serde(default, deserialize_with = "list")]
    errors: Vec<PlatformError>,
    #[serde(default, deserialize_with = "list")]
    added_participants: Vec<Participant>,
    #[serde(default, deserialize_with = "list")]
    removed_participants: Vec<Participant>,
    group_subject: Option<Setting>,
    group_description: Option<Setting>,
}

#[derive(Deserialize)]
struct Participant {
    input: Option<String>,
    wa_id: Option<String>,
    user_id: Option<String>,
}

#[derive(Deserialize)]
struct Setting {
    text: Option<String>,
    #[serde(default)]
    update_successful: bool,
}

impl Participant {
    fn member(self, is_in: bool, at: Timestamp) -> Member {
        let phone_number = phone(self.wa_id.as_deref()).or(phone(self.input.as_deref()));
        // What was asked for by something that is no number was asked for by user id.
        let by_input = self.input.filter(|_| phone_number.is_none());
        Member { phone_number, user_id: said(self.user_id).or(said(by_input)), is_in, at }
    }
}

impl Setting {
    fn made(self) -> Option<String> {
        self.text.filter(|_| self.update_successful)
    }
}

impl Applying<'_> {
    pub(crate) async fn group(&self) -> Result<Change, Failure> {
        let told: GroupUpdate = read(&self.update.body)?;
        match (told.kind.as_str(), told.request_id.as_deref()) {
            ("group_create", Some(request)) => self.group_made(request, &told).await,
            _ => self.group_changed(told).await,
        }
    }

    /// The platform's answer to a request, which may come before its request was stored.
    async fn group_made(&self, request: &str, told: &GroupUpdate) -> Result<Change, Failure> {
        let number = self.number_id()?;
        let early = EarlyGroup {
            provider_group_id: told.group_id.clone(),
            invite_link: told.invite_link.clone(),
            has_failed: !told.errors.is_empty(),
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
        let after = made(&before, &early, &news);
        self.write_group(change, &before, after, &news)
    }

    async fn group_changed(&self, told: GroupUpdate) -> Result<Change, Failure> {
        let known = match &told.group_id {
            Some(id) => self.store.group_of_platform(self.number_id()?, id).await?,
            None => None,
        };
        let Some(before) = known else { return self.group_unknown(&told) };
        let mut change = self.once();
        let mut after = before.clone();
        apply(&mut after, told, self.said_at());
        if before.status != GroupStatus::Deleted && after.status == GroupStatus::Deleted {
            change.forget_platform_group(&before);
        }
        self.write_group(change, &before, after, &[])
    }

    /// Its making may not have been told yet; news of groups that were not made here are forgotten after a while.
    fn group_unknown(&self, told: &GroupUpdate) -> Result<Change, Failure> {
        let mut change = self.change();
        if let Some(id) = &told.group_id {
            let news = self.update.body.get();
            change.note_early_group_news(self.number_id()?, id, news, self.now)?;
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

/// A group as its making and the news that came before it say.
pub fn made(asked: &Group, early: &EarlyGroup, news: &[String]) -> Group {
    let mut group = Group {
        status: if early.has_failed { GroupStatus::Failed.into() } else { GroupStatus::Active.into() },
        provider_group_id: early.provider_group_id.clone(),
        invite_link: early.invite_link.clone(),
        ..asked.clone()
    };
    for told in news.iter().filter_map(|news| serde_json::from_str::<GroupUpdate>(news).ok()) {
        let told_at = asked.created_at;
        apply(&mut group, told, told_at);
    }
    group
}

/// `otherwise_at` is the time of news that tell none.
fn apply(group: &mut Group, told: GroupUpdate, otherwise_at: Timestamp) {
    let at = told.timestamp.as_ref().and_then(Loose::time).unwrap_or(otherwise_at);
    let status = match told.kind.as_str() {
        "group_delete" => Some(GroupStatus::Deleted),
        "group_suspend" => Some(GroupStatus::Suspended),
        "group_suspend_cleared" => Some(GroupStatus::Active),
        _ => None,
    };
    // A deleted group stays deleted; else the platform's last word counts.
    let is_news = group.status_at.is_none_or(|known| at >= known);
    if let Some(status) = status.filter(|status| *status == GroupStatus::Deleted || is_news)
        && group.status != GroupStatus::Deleted
    {
        group.status = status.into();
        group.status_at = Some(at);
    }
    for added in told.added_participants {
        group.note_member(added.member(true, at));
    }
    for removed in told.removed_participants {
        group.note_member(removed.member(false, at));
    }
    if let Some(subject) = told.group_subject.and_then(Setting::made)
        && group.subject_at.is_none_or(|known| at >= known)
    {
        group.subject = subject;
        group.subject_at = Some(at);
    }
    if let Some(description) = told.group_description.and_then(Setting::made)
        && group.description_at.is_none_or(|known| at >= known)
    {
        group.description = said(Some(description));
        group.description_at = Some(at);
    }
}
