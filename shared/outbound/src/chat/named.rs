//! The objects that a chat message names: each must exist, and the caller's app must see it.

use std::collections::BTreeMap;

use domain::chat::outgoing::{Addressee, MediaUse, MessageRef, Outgoing, Resolved, SentMedium};
use domain::chat::template::APPROVED;
use domain::chat::{ChatBusinessProfile, ChatMessage, ChatPhoneNumber, Group, GroupStatus};
use domain::id::{AppId, ChatBusinessProfileId, ChatMessageId, MediaId};
use domain::media::{Media, MediaKind};
use domain::{ErrorCode, Failure, Timestamp};
use futures_util::future::{try_join_all, try_join5};
use serde_json::Value;
use store::{Reads, StoredTemplate};

/// The objects that a message names, as they were read.
#[derive(Debug, Default)]
pub struct Named {
    pub media: Vec<(MediaUse, Option<Media>)>,
    /// The messages that it names by our ids, each with the parameter that names it.
    pub messages: Vec<(ChatMessageId, &'static str, Option<ChatMessage>)>,
    pub group: Option<Group>,
    /// The template, as far as we hold it.
    pub template: Option<StoredTemplate>,
}

impl Named {
    /// Reads the account behind the number, and everything that a message names, side by side and by full keys.
    pub async fn read(
        org: &Reads,
        profile: &ChatBusinessProfileId,
        outgoing: &Outgoing,
        now: Timestamp,
    ) -> Result<(Self, Option<ChatBusinessProfile>), Failure> {
        let media = outgoing.media().into_iter().map(async |used| {
            let found = org.media(&used.id).await?;
            Ok::<_, Failure>((used, found))
        });
        let messages = outgoing.messages().into_iter().filter_map(|used| match used.message {
            MessageRef::Ours(id) => Some((id.clone(), used.param)),
            MessageRef::Platform(_) => None,
        });
        let messages = messages.map(async |(id, param)| {
            let found = org.unended_message(&id, now).await?;
            Ok::<_, Failure>((id, param, found.map(|found| found.record.into_message())))
        });
        let group = async {
            match outgoing.to() {
                Addressee::Group(id) => org.group(id).await,
                _ => Ok(None),
            }
        };
        let template = async {
            match outgoing.content().named_template() {
                Some(used) => org.template_named(profile, used.name(), used.language()).await,
                None => Ok(None),
            }
        };
        let (media, messages, group, template, profile) =
            try_join5(try_join_all(media), try_join_all(messages), group, template, org.chat_business_profile(profile))
                .await?;
        Ok((Named { media, messages, group, template }, profile))
    }

    /// Checks everything that a message names, and returns what it is called at the platform.
    pub fn resolve(
        self,
        outgoing: &Outgoing,
        app: &AppId,
        number: &ChatPhoneNumber,
        link: impl Fn(&Media) -> Result<String, Failure>,
        now: Timestamp,
    ) -> Result<Resolved, Failure> {
        let group = self.platform_group(outgoing, number)?;
        let mut resolved = Resolved { group, ..Resolved::default() };
        for (id, param, message) in &self.messages {
            let message = message.as_ref().filter(|message| number.shows(app, message));
            let platform_id = message.and_then(|message| message.provider_message_id.clone());
            let platform_id = platform_id.ok_or_else(|| Failure::not_found(*param, "message of this number"))?;
            resolved.messages.insert(id.clone(), platform_id);
        }

        for (used, media) in &self.media {
            let visible = media.as_ref().filter(|media| media.app_id == *app && media.is_visible(now));
            let media = visible.ok_or_else(|| used.not_found())?;
            used.check(media)?;
            let kind = media.media_type.known().unwrap_or(MediaKind::Document);
            resolved.media.insert(used.id.clone(), SentMedium { link: link(media)?, kind });
        }

        self.check_template(outgoing, &resolved.media)?;
        resolved.template = self.components()?;
        Ok(resolved)
    }

    /// Returns the components of the template, as far as it is known.
    fn components(&self) -> Result<Option<Value>, Failure> {
        let components = self.template.as_ref().and_then(|stored| stored.template.components.as_ref());
        components.map(|json| serde_json::from_str(json.as_str()).map_err(Failure::internal)).transpose()
    }

    fn platform_group(&self, outgoing: &Outgoing, number: &ChatPhoneNumber) -> Result<Option<String>, Failure> {
        if !outgoing.to().is_group() {
            return Ok(None);
        }
        let group = self.group.as_ref().filter(|group| group.chat_phone_number_id == number.id);
        let group = group.ok_or_else(|| Failure::not_found("groupId", "chat group"))?;
        match &group.provider_group_id {
            Some(id) if group.status == GroupStatus::Active => Ok(Some(id.clone())),
            _ => Err(Failure::conflict("Messages can be sent to active groups only.").with_param("groupId")),
        }
    }

    /// Checks the template and its parameters as far as the template is known. The platform decides about others.
    fn check_template(&self, outgoing: &Outgoing, media: &BTreeMap<MediaId, SentMedium>) -> Result<(), Failure> {
        let (Some(used), Some(stored)) = (outgoing.content().named_template(), &self.template) else { return Ok(()) };
        if stored.template.status != APPROVED {
            let status = &stored.template.status;
            let message = format!("Only an APPROVED template can be sent. The status of this one is {status}.");
            return Err(Failure::of_code(ErrorCode::TemplateNotFound, message).with_param(used.name_param()));
        }
        let Some(components) = self.components()? else { return Ok(()) };
        used.check(&components, &|id| media.get(id).map(|sent| sent.kind))
    }
}
