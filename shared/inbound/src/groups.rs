//! Updates of groups: creation, suspension, deletion, settings, and participants who joined or left.

use domain::chat::{Group, GroupStatus, Member};
use domain::{Failure, Timestamp};
use serde::Deserialize;
use store::{Change, EarlyGroup, RequestedGroup};

use crate::apply::UpdateHandler;
use crate::content::phone;
use crate::lenient::{TextOrNumber, list};
use crate::wire::{PlatformError, non_empty, read};

#[derive(Deserialize)]
struct GroupUpdate {
    #[serde(rename = "type", default)]
    kind: String,
    timestamp: Option<TextOrNumber>,
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
        // An input that is not a phone number is a user id.
        let by_input = self.input.filter(|_| phone_number.is_none());
        Member { phone_number, user_id: non_empty(self.user_id).or(non_empty(by_input)), is_in, at }
    }
}

impl Setting {
    fn applied(self) -> Option<String> {
        self.text.filter(|_| self.update_successful)
    }
}

impl UpdateHandler<'_> {
    pub(crate) async fn group(&self) -> Result<Change, Failure> {
        let sent: GroupUpdate = read(&self.update.body)?;
        match (sent.kind.as_str(), sent.request_id.as_deref()) {
            ("group_create", Some(request)) => self.group_created(request, &sent).await,
            _ => self.group_changed(sent).await,
        }
    }

    /// Applies the platform's response to a request for a group. It may arrive before the request has been stored.
    async fn group_created(&self, request: &str, sent: &GroupUpdate) -> Result<Change, Failure> {
        let number = self.number_id()?;
        let early = EarlyGroup {
            provider_group_id: sent.group_id.clone(),
            invite_link: sent.invite_link.clone(),
            has_failed: !sent.errors.is_empty(),
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

    /// Stores an update of an unknown group, whose creation may not have been reported yet. Updates of groups that were
    /// not created here expire.
    fn group_unknown(&self, sent: &GroupUpdate) -> Result<Change, Failure> {
        let mut change = self.change();
        if let Some(id) = &sent.group_id {
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

/// Returns the group after its creation was reported; `news` holds the updates that arrived earlier.
pub fn created(requested: &Group, early: &EarlyGroup, news: &[String]) -> Group {
    let mut group = Group {
        status: if early.has_failed { GroupStatus::Failed.into() } else { GroupStatus::Active.into() },
        provider_group_id: early.provider_group_id.clone(),
        invite_link: early.invite_link.clone(),
        ..requested.clone()
    };
    for sent in news.iter().filter_map(|news| serde_json::from_str::<GroupUpdate>(news).ok()) {
        apply(&mut group, sent, requested.created_at);
    }
    group
}

/// Applies an update to a group. `default_at` is the time of an update without a timestamp.
fn apply(group: &mut Group, sent: GroupUpdate, default_at: Timestamp) {
    let at = sent.timestamp.as_ref().and_then(TextOrNumber::time).unwrap_or(default_at);
    let status = match sent.kind.as_str() {
        "group_delete" => Some(GroupStatus::Deleted),
        "group_suspend" => Some(GroupStatus::Suspended),
        "group_suspend_cleared" => Some(GroupStatus::Active),
        _ => None,
    };
    // A deleted group stays deleted; otherwise the latest status counts.
    let is_newer = group.status_at.is_none_or(|known| at >= known);
    if let Some(status) = status.filter(|status| *status == GroupStatus::Deleted || is_newer)
        && group.status != GroupStatus::Deleted
    {
        group.status = status.into();
        group.status_at = Some(at);
    }
    for added in sent.added_participants {
        group.note_member(added.member(true, at));
    }
    for removed in sent.removed_participants {
        group.note_member(removed.member(false, at));
    }
    if let Some(subject) = sent.group_subject.and_then(Setting::applied)
        && group.subject_at.is_none_or(|known| at >= known)
    {
        group.subject = subject;
        group.subject_at = Some(at);
    }
    if let Some(description) = sent.group_description.and_then(Setting::applied)
        && group.description_at.is_none_or(|known| at >= known)
    {
        group.description = non_empty(Some(description));
        group.description_at = Some(at);
    }
}
