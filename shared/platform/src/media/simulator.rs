//! The media files of the simulated platform: it has none, and accepts every upload.

use async_trait::async_trait;

use super::{Download, MediaLocation, MediaTransfer, SourceFile};
use crate::error::PlatformResult;
use crate::simulator::{Simulator, no_such_object, random_hex};
use crate::vault::AccessToken;

#[async_trait]
impl MediaTransfer for Simulator {
    async fn media(&self, _token: &AccessToken, _media: &str) -> PlatformResult<MediaLocation> {
        Err(no_such_object())
    }

    async fn download(&self, _token: &AccessToken, _url: &str, _max_bytes: u64) -> PlatformResult<Download> {
        Err(no_such_object())
    }

    async fn upload(&self, _token: &AccessToken, _file: &SourceFile) -> PlatformResult<String> {
        Ok(format!("simulated-{}", random_hex()))
    }
}
