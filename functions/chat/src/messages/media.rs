//! The download URLs of inbound media. Media of live messages are objects of the messages; simulated users send uploads
//! of the apps, which expire or are deleted independently.

use std::collections::{BTreeMap, BTreeSet};

use domain::Failure;
use domain::chat::ChatMessage;
use domain::id::{MediaId, OrganizationId};
use domain::media::{Media, URL_SECONDS};
use store::InboundMedia;

use crate::ChatContext;

const UNNAMED: &str = "file";

/// The existing uploads that messages refer to.
pub(super) struct Uploads(BTreeMap<MediaId, Media>);

impl Uploads {
    /// Reads these uploads. Makes no call if there are none, as in live mode.
    pub(super) async fn of(
        chat: &ChatContext,
        organization: &OrganizationId,
        ids: BTreeSet<MediaId>,
    ) -> Result<Self, Failure> {
        let org = chat.context.store.of(organization);
        let found = match ids.first() {
            None => Vec::new(),
            Some(only) if ids.len() == 1 => org.media(only).await?.into_iter().collect(),
            Some(_) => org.media_by_id(&ids).await?,
        };
        Ok(Uploads(found.into_iter().map(|media| (media.id.clone(), media)).collect()))
    }
}

/// Adds a download URL to a message whose media is stored, and the size of an upload. The URL never outlives the media.
pub(super) fn with_media_url(
    chat: &ChatContext,
    organization: &OrganizationId,
    mut message: ChatMessage,
    media: Option<&InboundMedia>,
    uploads: &Uploads,
) -> Result<ChatMessage, Failure> {
    let now = chat.context.now();

    if let Some(id) = media.and_then(InboundMedia::upload) {
        if let Some(upload) = uploads.0.get(&id).filter(|upload| upload.is_visible(now)) {
            let seconds = now.seconds_until(upload.expires_at).min(URL_SECONDS);
            message.media_url = Some(chat.presigner.download(organization, upload, seconds)?);
            message.media_file_size = Some(upload.file_size);
        }
        return Ok(message);
    }

    let left = media.and_then(|media| media.expires_at).map_or(0, |at| now.seconds_until(at));
    if left > 0 {
        let name = message.media_filename.as_deref().unwrap_or(UNNAMED);
        let mime = message.media_mime_type.as_deref().unwrap_or_default();
        let url = chat.presigner.inbound(organization, &message.id, name, mime, left.min(URL_SECONDS))?;
        message.media_url = Some(url);
    }
    Ok(message)
}
