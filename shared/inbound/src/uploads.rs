//! The media that simulated users send: uploads of the number's apps. The message refers to the upload, whose bytes are not
//! copied: its medium ends when the upload ends or is deleted.

use domain::Failure;
use domain::id::{ChatPhoneNumberId, MediaId, OrganizationId};
use domain::media::Media;
use futures_util::future::try_join;
use store::StoredChat;

use crate::Inbox;
use crate::apply::UpdateHandler;

/// The reason why the medium of a simulated message is missing.
const NO_UPLOAD: &str = "No app of the number has uploaded this medium.";

impl Inbox {
    /// Returns the upload with this id, if it belongs to an app of the number.
    pub async fn upload_for(
        &self,
        organization: &OrganizationId,
        number: &ChatPhoneNumberId,
        media: &str,
    ) -> Result<Option<Media>, Failure> {
        let Ok(id) = media.parse::<MediaId>() else { return Ok(None) };
        let org = self.context.store.of(organization);
        let (medium, number) = try_join(org.media(&id), org.chat_phone_number(number)).await?;
        let apps = number.map(|number| number.apps).unwrap_or_default();
        let now = self.context.now();
        Ok(medium.filter(|medium| medium.is_visible(now) && apps.contains(&medium.app_id)))
    }
}

/// Makes the upload the medium of a message; `None` if there is no such upload.
pub fn refer_to_upload(stored: &mut StoredChat, upload: Option<&Media>) {
    let Some(media) = stored.reported.inbound_media.as_mut() else { return };
    match upload {
        // As for live messages, the size is shown only together with the address.
        Some(_) => media.is_upload = true,
        None => media.failure = Some(NO_UPLOAD.to_owned()),
    }
}

impl UpdateHandler<'_> {
    /// Finds the upload that a simulated message names. The media of live messages are fetched from the platform later.
    pub(crate) async fn find_upload(&self, stored: &mut StoredChat) -> Result<(), Failure> {
        let media = stored.reported.inbound_media.as_ref().filter(|_| stored.message().id.mode().is_test());
        let Some(media) = media else { return Ok(()) };
        let number = &stored.message().chat_phone_number_id;
        let upload = self.inbox.upload_for(self.organization(), number, &media.id).await?;
        refer_to_upload(stored, upload.as_ref());
        Ok(())
    }
}
