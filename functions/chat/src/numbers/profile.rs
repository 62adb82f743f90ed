//! The profiles of chat phone numbers. The platform keeps them; nothing of them is stored here.

use api::caller::Sees;
use domain::Failure;
use domain::audit::{Entry, TargetKind, Trail};
use domain::chat::{ChatPhoneNumber, NumberProfile, NumberProfileChange};
use domain::id::{MediaId, OrganizationId};
use domain::media::MediaKind;
use platform::Line;

use super::no_such_number;
use crate::{ChatContext, audit, uploads};

pub(super) const NUMBER: &str = "chatPhoneNumberId";
pub(super) const PICTURE: &str = "profilePictureMediaId";

/// A requested change of a profile.
pub(crate) struct Wanted {
    pub(super) change: NumberProfileChange,
    pub(super) picture: Option<MediaId>,
}

/// Returns the profile of a number.
pub(super) async fn get(
    chat: &ChatContext,
    caller: &impl Sees,
    number: Option<ChatPhoneNumber>,
) -> Result<NumberProfile, Failure> {
    let (number, line) = reach(chat, caller, number).await?;
    read(&line, &number.provider_phone_number_id).await
}

/// Changes the profile of a number, and returns the platform's profile after the change.
pub(super) async fn change(
    chat: &ChatContext,
    caller: &impl Sees,
    number: Option<ChatPhoneNumber>,
    wanted: &Wanted,
) -> Result<NumberProfile, Failure> {
    let (number, line) = reach(chat, caller, number).await?;
    let node = &number.provider_phone_number_id;
    let mut change = wanted.change.clone();
    if let Some(picture) = &wanted.picture {
        change.picture_handle = Some(upload(chat, caller.organization(), &line, &number, picture).await?);
    }

    let under_way = audit::begin(chat, caller.organization(), entry(chat, caller.trail(), &number)).await?;
    let done = match line.platform.change_number_profile(&line.token, node, &change).await {
        Ok(()) => Ok(()),
        Err(error) => Err(line.failure(error, node).await),
    };
    under_way.end(done).await?;
    read(&line, node).await
}

/// Returns the entry of the audit log for a change of a number at the platform.
pub(super) fn entry(chat: &ChatContext, trail: &Trail, number: &ChatPhoneNumber) -> Entry {
    chat.context.entry(trail, number.id.mode()).about(TargetKind::ChatPhoneNumber, &number.id)
}

/// Uploads a picture to the platform, and returns its handle.
async fn upload(
    chat: &ChatContext,
    organization: &OrganizationId,
    line: &Line,
    number: &ChatPhoneNumber,
    picture: &MediaId,
) -> Result<String, Failure> {
    let media = uploads::find(chat, organization, picture, PICTURE, number.id.mode()).await?;
    if media.media_type.known() != Some(MediaKind::Image) {
        let message = format!("{PICTURE} must be a JPEG or PNG image. This media is {}.", media.mime_type);
        return Err(Failure::invalid(PICTURE, message));
    }
    uploads::upload(chat, organization, line, media, &number.provider_phone_number_id).await
}

/// Returns a number that the caller may see, with access to the platform on behalf of its account.
pub(super) async fn reach(
    chat: &ChatContext,
    caller: &impl Sees,
    number: Option<ChatPhoneNumber>,
) -> Result<(ChatPhoneNumber, Line), Failure> {
    let number = number.ok_or_else(|| no_such_number(NUMBER))?;
    caller.expect_visible(number.id.mode(), NUMBER, "chat phone number")?;
    let org = chat.context.store.of(caller.organization());
    let line = chat.platforms.line_of_number(&org, &number, chat.context.now()).await?;
    Ok((number, line))
}

async fn read(line: &Line, node: &str) -> Result<NumberProfile, Failure> {
    match line.platform.number_profile(&line.token, node).await {
        Ok(profile) => Ok(profile),
        Err(error) => Err(line.failure(error, node).await),
    }
}
