//! The options for apps, keys, webhooks, deliveries and events.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use messaging_client::types::{RecoverableDeliveryStatus, Scope, WebhookDeliveryStatus};

use super::values::one_of;

/// The app whose webhooks are used.
#[derive(Args, Debug)]
pub(crate) struct AppOption {
    /// An app of the organization, with an admin key; by default, the app of the app key
    #[arg(long, value_name = "APP_ID")]
    pub(crate) app: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Deliveries {
    /// Lists the deliveries of a webhook, newest first
    List {
        /// The webhook: whk_...
        #[arg(value_name = "WEBHOOK_ID")]
        webhook: String,
        #[command(flatten)]
        app: AppOption,
        /// Only deliveries with this status
        #[arg(long, value_parser = one_of(WebhookDeliveryStatus::KNOWN), ignore_case = true)]
        status: Option<String>,
        /// The maximum number of deliveries
        #[arg(long, default_value_t = 25)]
        limit: u32,
        /// Lists all objects
        #[arg(long, conflicts_with = "limit")]
        all: bool,
    },
    /// Shows a delivery with all its attempts
    Show {
        /// The webhook: whk_...
        #[arg(value_name = "WEBHOOK_ID")]
        webhook: String,
        /// The delivery: dlv_...
        #[arg(value_name = "DELIVERY_ID")]
        delivery: String,
        #[command(flatten)]
        app: AppOption,
    },
    /// Sends the event of a delivery again
    Redeliver {
        /// The webhook: whk_...
        #[arg(value_name = "WEBHOOK_ID")]
        webhook: String,
        /// The delivery: dlv_...
        #[arg(value_name = "DELIVERY_ID")]
        delivery: String,
        #[command(flatten)]
        app: AppOption,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Webhooks {
    /// Lists the webhooks of an app
    List {
        #[command(flatten)]
        app: AppOption,
    },
    /// Creates a webhook and prints its signing secret, which is shown only once
    Create {
        /// The destination of the events: an https URL, or the ARN of an SQS queue
        url: String,
        /// An event to subscribe to
        #[arg(long = "event", value_name = "EVENT", required = true)]
        events: Vec<String>,
        /// A header to send with each delivery
        #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
        headers: Vec<String>,
        #[command(flatten)]
        app: AppOption,
    },
    /// Sends a sample event
    Test {
        /// The webhook: whk_...
        #[arg(value_name = "WEBHOOK_ID")]
        webhook: String,
        /// The event to send; by default, the webhook's first event
        #[arg(long)]
        event: Option<String>,
        #[command(flatten)]
        app: AppOption,
    },
    /// Attempts failed and skipped deliveries again, after an outage of the receiver
    #[command(
        after_help = "Waits until the recovery has ended, and shows its progress. If the command is interrupted, the recovery continues.

Examples:
  messaging webhooks recover whk_... --since 2026-11-21T08:00:00Z --dry-run
  messaging webhooks recover whk_... --since 2026-11-21T08:00:00Z --until 2026-11-21T12:00:00Z"
    )]
    Recover(Recover),
}

#[derive(Args, Debug)]
pub(crate) struct Recover {
    /// The webhook: whk_...
    #[arg(value_name = "WEBHOOK_ID")]
    pub(crate) webhook: String,
    /// Only deliveries of events that occurred at this time (RFC 3339) or later
    #[arg(long, value_name = "TIME")]
    pub(crate) since: String,
    /// Only deliveries of events that occurred before this time; by default, now
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Only deliveries with this status; by default, FAILED and SKIPPED
    #[arg(long = "status", value_name = "STATUS", value_parser = one_of(RecoverableDeliveryStatus::KNOWN), ignore_case = true)]
    pub(crate) statuses: Vec<String>,
    /// Only deliveries of this event
    #[arg(long = "event", value_name = "EVENT")]
    pub(crate) events: Vec<String>,
    /// Counts the deliveries without attempting any
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Starts the recovery without waiting for its end
    #[arg(long)]
    pub(crate) no_wait: bool,
    #[command(flatten)]
    pub(crate) app: AppOption,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Apps {
    /// Lists the apps
    List,
    /// Creates an app
    Create {
        /// The name of the app
        name: String,
        /// Creates a test app, whose messages are simulated
        #[arg(long)]
        test: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Creates a key and prints its value, which is shown only once
    Create {
        /// An app key for this app; without it, an admin key
        #[arg(long, value_name = "APP_ID")]
        app: Option<String>,
        /// The name of the key; required for an admin key
        #[arg(long, required_unless_present = "app")]
        name: Option<String>,
        /// A test admin key
        #[arg(long, conflicts_with = "app")]
        test: bool,
        /// What the key may do, such as messages:write; by default, everything
        #[arg(long = "scope", value_name = "SCOPE", value_parser = clap::builder::PossibleValuesParser::new(Scope::KNOWN))]
        scopes: Vec<String>,
        /// How many requests per second may be made with the key, from 1 to 1,000
        #[arg(long, value_name = "REQUESTS")]
        rate: Option<i64>,
        /// How many requests may be made at once after a pause, up to ten times --rate
        #[arg(long, value_name = "REQUESTS", requires = "rate")]
        burst: Option<i64>,
        /// A network that the key may be used from, such as 203.0.113.0/24; by default, all
        #[arg(long = "allow-ip", value_name = "NETWORK")]
        allowed_ips: Vec<String>,
        /// When the key ends, such as 2030-01-31T12:00:00Z; by default, never
        #[arg(long, value_name = "TIME")]
        expires_at: Option<String>,
        /// Stores the key in the profile instead of printing it
        #[arg(long, conflicts_with = "local")]
        save: bool,
    },
    /// Lists keys: the admin keys, or those of an app
    List {
        /// The app whose keys to list
        #[arg(long, value_name = "APP_ID")]
        app: Option<String>,
    },
    /// Gives a key another value and prints it; the value of before works for a while
    Rotate {
        /// The key: key_app_... or key_admin_...
        #[arg(value_name = "KEY_ID")]
        id: String,
        /// The app of an app key
        #[arg(long, value_name = "APP_ID")]
        app: Option<String>,
        /// How long the value of before still works, in seconds: 0 to 604800, by default 86400
        #[arg(long, value_name = "SECONDS")]
        grace: Option<i64>,
    },
    /// Deletes a key; every later request with it is rejected
    Revoke {
        /// The key: key_app_... or key_admin_...
        #[arg(value_name = "KEY_ID")]
        id: String,
        /// The app of an app key
        #[arg(long, value_name = "APP_ID")]
        app: Option<String>,
    },
}

#[derive(Args, Debug)]
#[command(
    after_help = "Forwarded events are signed like those of a webhook, with a secret that is created for the run and printed at its start.
Set MESSAGING_LISTEN_SECRET (whsec_...) to keep one secret.

Examples:
  messaging --local listen --forward-to http://localhost:3000/webhooks
  messaging --local listen --once --timeout 60 --types messages.chat.received --exec 'jq -e .data.textBody'"
)]
pub(crate) struct Listen {
    #[command(flatten)]
    pub(crate) app: AppOption,
    /// Sends each event to this URL, and retries until the response is 2xx
    #[arg(long, value_name = "URL")]
    pub(crate) forward_to: Option<String>,
    /// Only these events, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "EVENTS")]
    pub(crate) types: Vec<String>,
    /// Starts after this position, or with the oldest event; by default, from now on
    #[arg(long, value_name = "POSITION|oldest")]
    pub(crate) since: Option<String>,
    /// Keeps the position in this file, so that the next run continues where this one ended; overrides --since
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Ends after the first event
    #[arg(long)]
    pub(crate) once: bool,
    /// Ends after this many seconds without an event, with exit code 6
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    /// Runs this with sh for each event, with the event on standard input; if it fails, so does the run
    #[arg(long, value_name = "COMMAND")]
    pub(crate) exec: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Trigger {
    /// A scenario; without it, all are listed
    pub(crate) scenario: Option<String>,
    /// The object or contact that the scenario applies to
    #[arg(long, value_name = "ID|NUMBER")]
    pub(crate) to: Option<String>,
    /// Delays the first step
    #[arg(long, value_name = "SECONDS")]
    pub(crate) delay: Option<u64>,
    /// Waits for the end for at most this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) timeout: u64,
}
