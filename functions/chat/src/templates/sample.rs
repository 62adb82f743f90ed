//! The example file of a header with a medium: found and validated, then uploaded to the platform.

use domain::chat::template_draft::HeaderSample;
use domain::id::OrganizationId;
use domain::media::Media;
use domain::{Failure, Mode};
use platform::{Line, with_header_handle};
use serde_json::Value;

use crate::{ChatContext, uploads};

/// Returns the medium that valid components name as their example; `None` if they name none. Fails if it does not fit.
pub(super) async fn find(
    chat: &ChatContext,
    organization: &OrganizationId,
    mode: Mode,
    components: &[Value],
) -> Result<Option<Media>, Failure> {
    let Some(sample) = HeaderSample::of(components) else { return Ok(None) };
    let media = uploads::find(chat, organization, &sample.media, &sample.param, mode).await?;
    sample.expect_fits(&media)?;
    Ok(Some(media))
}

/// Uploads the example, and returns the components in the form that is sent to the platform.
pub(super) async fn uploaded(
    chat: &ChatContext,
    organization: &OrganizationId,
    line: &Line,
    sample: Option<Media>,
    components: &[Value],
    account: &str,
) -> Result<Vec<Value>, Failure> {
    let Some(media) = sample else { return Ok(components.to_vec()) };
    let handle = uploads::upload(chat, organization, line, media, account).await?;
    Ok(with_header_handle(components, &handle))
}
