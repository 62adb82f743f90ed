//! The options of `send` and `messages`.

use clap::{Args, Subcommand, ValueEnum};
use messaging_client::types::{FailureChannel, MessageDirection, MessageOutcome, MessageStatus, UsagePeriod};

use super::values::one_of;

#[derive(Debug, Subcommand)]
pub(crate) enum Send {
    /// Sends a WhatsApp message
    #[command(after_help = "Examples:
  messaging send chat --to +12015550123 --text Hello --wait
  messaging send chat --to +12015550123 --template order_update --language en_US --param 1=A-17
  messaging send chat --to +12015550123 --media media_... --kind image --caption \"Your receipt\"")]
    Chat(SendChat),
    /// Sends an SMS, or an MMS with --media
    Sms(SendSms),
}

#[derive(Args, Debug)]
pub(crate) struct SendOptions {
    /// The recipient, in E.164 format
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = false)]
    pub(crate) to: String,
    /// The sender: a number of the app or its id; by default, the app's only number
    #[arg(long, value_name = "NUMBER")]
    pub(crate) from: Option<String>,
    /// Your own reference, which events and lists show
    #[arg(long, value_name = "TEXT")]
    pub(crate) client_reference: Option<String>,
    /// Stores the message; the service sends it later, at a rate that the provider accepts
    #[arg(long)]
    pub(crate) queue: bool,
    /// Waits until the message is delivered, read or failed, for at most this many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60")]
    pub(crate) wait: Option<u64>,
    /// An idempotency key: a repeated run with the same key does not send the message again
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct SendChat {
    #[command(flatten)]
    pub(crate) options: SendOptions,
    /// The text of a text message
    #[arg(long, conflicts_with_all = ["template", "media"])]
    pub(crate) text: Option<String>,
    /// The name of an approved template
    #[arg(long, value_name = "NAME", requires = "language", conflicts_with = "media")]
    pub(crate) template: Option<String>,
    /// The language of the template, such as en_US
    #[arg(long, value_name = "CODE", requires = "template")]
    pub(crate) language: Option<String>,
    /// A parameter of the template's body
    #[arg(long = "param", value_name = "NAME=VALUE", requires = "template")]
    pub(crate) params: Vec<String>,
    /// An uploaded file
    #[arg(long, value_name = "MEDIA_ID", requires = "kind")]
    pub(crate) media: Option<String>,
    /// The kind of the uploaded file
    #[arg(long, requires = "media")]
    pub(crate) kind: Option<MediaKind>,
    /// The text below an image, a video or a document
    #[arg(long, value_name = "TEXT", requires = "media")]
    pub(crate) caption: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum MediaKind {
    Image,
    Video,
    Audio,
    Document,
    Sticker,
}

#[derive(Args, Debug)]
pub(crate) struct SendSms {
    #[command(flatten)]
    pub(crate) options: SendOptions,
    /// The text; required unless --media is used
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// An uploaded picture, which makes the message an MMS
    #[arg(long, value_name = "MEDIA_ID")]
    pub(crate) media: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Messages {
    /// Lists messages, newest first
    List(MessageList),
    /// Shows one message
    Show {
        /// The message: msg_wa_... or msg_sms_...
        #[arg(value_name = "MESSAGE_ID")]
        id: String,
        /// Everything that has happened to it, instead: requests, waits, attempts, statuses, events and deliveries
        #[arg(long)]
        timeline: bool,
    },
    /// Lists the messages that reached nobody, of all numbers and both channels, newest first
    Failures(FailureList),
    /// Prints messages as they arrive and change
    Tail(MessageTail),
}

#[derive(Args, Clone, Debug)]
pub(crate) struct MessageSelection {
    /// SMS instead of chat messages
    #[arg(long)]
    pub(crate) sms: bool,
    /// The id of a number; required with an admin key, or if the app has several numbers
    #[arg(long, value_name = "NUMBER_ID")]
    pub(crate) number: Option<String>,
    /// The phone number of the contact
    #[arg(long, value_name = "NUMBER")]
    pub(crate) contact: Option<String>,
    /// Only messages that were received, or only those that were sent
    #[arg(long, value_parser = one_of(MessageDirection::KNOWN), ignore_case = true)]
    pub(crate) direction: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct MessageList {
    #[command(flatten)]
    pub(crate) selection: MessageSelection,
    /// Only messages that were sent through this API with this outcome
    #[arg(long, value_parser = one_of(MessageOutcome::KNOWN), ignore_case = true)]
    pub(crate) outcome: Option<String>,
    /// Only messages with this status
    #[arg(long, value_parser = one_of(MessageStatus::KNOWN), ignore_case = true)]
    pub(crate) status: Option<String>,
    /// Only messages with this client reference
    #[arg(long, value_name = "TEXT")]
    pub(crate) client_reference: Option<String>,
    /// From this time on, such as 2026-11-23T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// The maximum number of messages
    #[arg(long, default_value_t = 25)]
    pub(crate) limit: u32,
    /// Lists all objects
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
}

#[derive(Args, Debug)]
pub(crate) struct FailureList {
    /// Only messages of this channel
    #[arg(long, value_parser = one_of(FailureChannel::KNOWN), ignore_case = true)]
    pub(crate) channel: Option<String>,
    /// Only messages of this number
    #[arg(long, value_name = "NUMBER_ID")]
    pub(crate) number: Option<String>,
    /// Only failures with this error code
    #[arg(long, value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// From this time on, such as 2026-11-23T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// The maximum number of messages
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
}

#[derive(Args, Debug)]
pub(crate) struct MessageTail {
    #[command(flatten)]
    pub(crate) selection: MessageSelection,
    /// Ends after this many lines
    #[arg(long, value_name = "LINES")]
    pub(crate) count: Option<usize>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  messaging usage
  messaging usage --period hour --group-by channel,direction
  messaging usage --since 2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z --group-by country
  messaging usage --deliveries --group-by webhook")]
pub(crate) struct Usage {
    /// Counts by day or by hour, in UTC
    #[arg(long, default_value = "day", value_parser = one_of(UsagePeriod::KNOWN), ignore_case = true)]
    pub(crate) period: String,
    /// One or two of app, number, channel, direction, category, country and code, separated by a comma; of deliveries: app,
    /// webhook and event
    #[arg(long, value_name = "NAMES")]
    pub(crate) group_by: Option<String>,
    /// From this time on, such as 2026-11-23T00:00:00Z; by default, the last 30 days or 24 hours
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Counts deliveries to webhooks instead of messages
    #[arg(long)]
    pub(crate) deliveries: bool,
    /// live or test; by default, the mode of the key
    #[arg(long, value_parser = ["live", "test"])]
    pub(crate) mode: Option<String>,
}
