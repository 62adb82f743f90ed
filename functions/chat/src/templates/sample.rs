//! The example files of headers with a medium, those of cards included: found and validated, then uploaded to the platform.

use std::collections::BTreeMap;

use domain::chat::template_draft::{FoundSample, HeaderSample};
use domain::id::{MediaId, OrganizationId};
use domain::media::Media;
use domain::{Failure, Mode};
use futures_util::future::{join_all, try_join_all};
use platform::{HeaderHandle, Line, with_header_handles};
use serde_json::Value;

use crate::{ChatContext, uploads};

/// Returns the media that valid components name as their examples, of which there are at most ten. Fails for the first one
/// that does not exist or fit.
pub(super) async fn find(
    chat: &ChatContext,
    organization: &OrganizationId,
    mode: Mode,
    components: &[Value],
) -> Result<Vec<FoundSample>, Failure> {
    let headers = HeaderSample::all(components);
    let reads = headers.iter().map(|header| uploads::find(chat, organization, &header.media, &header.param, mode));
    let read = join_all(reads).await;

    let found = headers.into_iter().zip(read).map(|(header, media)| Ok(FoundSample { header, media: media? }));
    let samples = found.collect::<Result<Vec<_>, Failure>>()?;
    FoundSample::expect_fit(&samples)?;
    Ok(samples)
}

/// Uploads the examples, each file once, and returns the components in the form that is sent to the platform.
pub(super) async fn uploaded(
    chat: &ChatContext,
    organization: &OrganizationId,
    line: &Line,
    samples: Vec<FoundSample>,
    components: &[Value],
    account: &str,
) -> Result<Vec<Value>, Failure> {
    if samples.is_empty() {
        return Ok(components.to_vec());
    }
    let files: BTreeMap<MediaId, Media> =
        samples.iter().map(|sample| (sample.media.id.clone(), sample.media.clone())).collect();
    let uploads = files.into_values().map(|media| upload(chat, organization, line, media, account));
    let handles: BTreeMap<MediaId, String> = try_join_all(uploads).await?.into_iter().collect();

    let placed = samples.into_iter().filter_map(|sample| {
        let handle = handles.get(&sample.media.id)?.clone();
        Some(HeaderHandle { pointer: sample.header.pointer, handle })
    });
    Ok(with_header_handles(components, placed))
}

/// Uploads a file, and returns its id with its handle.
async fn upload(
    chat: &ChatContext,
    organization: &OrganizationId,
    line: &Line,
    media: Media,
    account: &str,
) -> Result<(MediaId, String), Failure> {
    let id = media.id.clone();
    let handle = uploads::upload(chat, organization, line, media, account).await?;
    Ok((id, handle))
}
