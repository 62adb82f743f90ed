//! Media of the organization that are uploaded to the platform: pictures of profiles, and examples of templates.

use domain::id::{MediaId, OrganizationId};
use domain::media::Media;
use domain::{Failure, Mode};
use platform::{Line, SourceFile};

use crate::ChatContext;

/// The validity of the URL from which a file is read for its upload.
const READ_WITHIN_SECONDS: u64 = 60;

/// Returns a medium that can be used in this mode. Fails with 404 for `param` if there is none.
pub(crate) async fn find(
    chat: &ChatContext,
    organization: &OrganizationId,
    id: &MediaId,
    param: &str,
    mode: Mode,
) -> Result<Media, Failure> {
    let media = if id.mode() == mode { chat.context.store.of(organization).media(id).await? } else { None };
    let visible = media.filter(|media| media.is_visible(chat.context.now()));
    visible.ok_or_else(|| Failure::not_found(param, "media"))
}

/// Uploads a medium to the platform, and returns its handle. A failure has the health status of `node`.
pub(crate) async fn upload(
    chat: &ChatContext,
    organization: &OrganizationId,
    line: &Line,
    media: Media,
    node: &str,
) -> Result<String, Failure> {
    let url = chat.presigner.download(organization, &media, READ_WITHIN_SECONDS)?;
    let file = SourceFile { url, file_name: media.file_name, mime_type: media.mime_type, size: media.file_size };
    match line.platform.upload(&line.token, &file).await {
        Ok(handle) => Ok(handle),
        Err(error) => Err(line.failure(error, node).await),
    }
}
