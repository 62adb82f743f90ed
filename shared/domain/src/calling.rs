//! The calling configuration of an app (docs/specification.md, "Calling configuration").

use serde::{Deserialize, Serialize};

use crate::Open;

/// The container format of call recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = CallRecordingFormat)]
pub enum RecordingFormat {
    Mp4,
    Ogg,
    Webm,
}

/// What happens to an incoming call for which no command is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = CallAnswerBehavior)]
pub enum AnswerBehavior {
    Webhook,
    Voicemail,
}

/// The calling configuration of an app, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallingSettings {
    pub voicemail_enabled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voicemail_greeting_url: Option<String>,
    /// In seconds.
    pub voicemail_max_duration: u32,
    pub auto_record_enabled: bool,
    pub recording_format: Open<RecordingFormat>,
    pub default_answer_behavior: Open<AnswerBehavior>,
    pub max_concurrent_calls: u32,
    pub chat_calling_enabled: bool,
    pub chat_sip_enabled: bool,
}

/// The default of `voicemailMaxDuration`, in seconds.
pub const DEFAULT_VOICEMAIL_SECONDS: u32 = 120;
/// The highest `voicemailMaxDuration`, in seconds.
pub const LONGEST_VOICEMAIL_SECONDS: u32 = 600;
/// The default of `maxConcurrentCalls`.
pub const DEFAULT_CONCURRENT_CALLS: u32 = 10;
/// The highest `maxConcurrentCalls`.
pub const MOST_CONCURRENT_CALLS: u32 = 1000;
