//! Media files that are exchanged with the platform.
//!
//! A received message names a file. Its URL is looked up, and the file is streamed to disk. A file for a profile or a
//! template is read from the bucket and uploaded (`upload.rs`), which returns a handle for it. Files of outbound
//! messages are not uploaded: the platform downloads them from a link. The simulated platform has no files, and returns
//! a random handle for each upload.

mod graph;
mod simulator;
mod upload;

use async_trait::async_trait;
use tempfile::NamedTempFile;

use crate::error::PlatformResult;
use crate::vault::AccessToken;

/// The part of the port that transfers media files.
#[async_trait]
pub trait MediaTransfer: Send + Sync {
    /// Returns the download address of a media file.
    async fn media(&self, token: &AccessToken, media: &str) -> PlatformResult<MediaLocation>;
    /// Downloads a media file of at most `max_bytes` bytes.
    async fn download(&self, token: &AccessToken, url: &str, max_bytes: u64) -> PlatformResult<Download>;
    /// Uploads a file, and returns the handle by which a profile or a template names it.
    async fn upload(&self, token: &AccessToken, file: &SourceFile) -> PlatformResult<String>;
}

/// The download address of a media file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaLocation {
    pub url: String,
    pub mime_type: Option<String>,
    pub sha256: Option<String>,
}

/// A downloaded file, deleted when this value is dropped.
pub struct Download {
    pub file: NamedTempFile,
    pub size: u64,
    pub sha256: [u8; 32],
}

/// A file to upload. It has no `Debug`, because its URL gives access to the file.
pub struct SourceFile {
    /// The presigned URL of the bucket from which it is read.
    pub url: String,
    pub file_name: String,
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
}
