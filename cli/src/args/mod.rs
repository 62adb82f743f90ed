//! The commands and their options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod accounts;
mod links;
mod messages;
mod objects;
mod templates;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use accounts::{Accounts, ConnectAccount};
pub(crate) use links::{CreateLink, Links};
pub(crate) use messages::{
    FailureList, MediaKind, MessageList, MessageSelection, MessageTail, Messages, Send, SendChat, SendOptions, SendSms,
    Usage,
};
pub(crate) use objects::{Apps, Deliveries, Keys, Listen, Recover, Trigger, Webhooks};
pub(crate) use templates::{CreateTemplate, Templates};

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  the service or this program failed
  2  wrong usage
  3  no credential, or one that is rejected
  4  the request was rejected: correct it
  5  temporary: unreachable, throttled or unavailable; retry later
  6  the command worked, but the result is negative: problems found, a message failed, or nothing arrived in time

Environment:
  MESSAGING_BASE_URL and MESSAGING_API_KEY together replace the stored profile. NO_COLOR turns colors off.

Examples:
  messaging login
  messaging --local send chat --to +12015550123 --text \"Your parcel is on its way.\" --wait
  messaging --local listen --forward-to http://localhost:3000/webhooks
  messaging api GET /v1/organization/settings";

/// Send and follow messages, receive events, and manage apps, keys and webhooks.
#[derive(Debug, Parser)]
#[command(name = "messaging", version, after_help = EXIT_CODES, propagate_version = true, subcommand_required = true)]
pub(crate) struct Arguments {
    /// Prints JSON as the API sends it, and errors as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Prints one field of the JSON, such as `id` or `data.0.id`: text as it is, everything else as JSON
    #[arg(long, global = true, value_name = "FIELD")]
    pub(crate) get: Option<String>,
    /// Uses the stored profile (address and keys) with this name
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Uses the local stack, whose address and keys `make run` has written to .local/env, or to the file that LOCAL_ENV names
    #[arg(long, global = true)]
    pub(crate) local: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Stores the address of an installation and a key
    Login(Login),
    /// Removes a stored profile
    Logout,
    /// Shows which address and keys are used, and whether they are valid
    Whoami,
    /// Sends any request to the API
    Api(Api),
    /// Sends a message
    #[command(subcommand)]
    Send(Send),
    /// Uploads a file, above 4 MiB directly to storage
    Upload(Upload),
    /// Shows what was sent and received
    #[command(subcommand)]
    Messages(Messages),
    /// Shows deliveries to a webhook, and redelivers events
    #[command(subcommand)]
    Deliveries(Deliveries),
    /// Manages webhooks
    #[command(subcommand)]
    Webhooks(Webhooks),
    /// Connects and disconnects WhatsApp accounts
    #[command(subcommand)]
    Accounts(Accounts),
    /// Creates and cancels links with which customers connect their WhatsApp accounts
    #[command(subcommand)]
    Links(Links),
    /// Manages WhatsApp templates
    #[command(subcommand)]
    Templates(Templates),
    /// Manages apps
    #[command(subcommand)]
    Apps(Apps),
    /// Creates and revokes keys
    #[command(subcommand)]
    Keys(Keys),
    /// Shows who changed what in the organization, newest first
    Audit(Audit),
    /// Counts messages by day or hour: how many were sent, delivered and read, and what they cost
    Usage(Usage),
    /// Follows the events of an app, and forwards them to a program or an address
    Listen(Listen),
    /// Runs a scenario of the playground and shows what happened
    Trigger(Trigger),
    /// Checks the address, the clock, the keys, the webhooks, the numbers and the templates
    Doctor,
    /// Checks the connection to WhatsApp: the installation's Meta app, the accounts and their numbers
    Check(Check),
    /// Prints the completions of a shell
    Completions {
        /// The shell whose completions are printed
        shell: clap_complete::Shell,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Login {
    /// The address of the installation
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Reads the key from standard input
    #[arg(long, requires = "base_url")]
    pub(crate) key_stdin: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  messaging api GET /v1/organization/apps --all
  messaging api POST /v1/organization/apps -f name=Shop -F test=true
  messaging api POST /v1/sms -f from=+12015550101 -f to=+12015550123 -f text=Hello
  messaging api POST /v1/chat/messages --input message.json")]
pub(crate) struct Api {
    /// The method: GET, POST, PUT, PATCH or DELETE
    pub(crate) method: String,
    /// The path, beginning with /v1/
    pub(crate) path: String,
    /// A text field of the body, or a query parameter of a GET; text.body=Hello sets a field within an object
    #[arg(short = 'f', long = "field", value_name = "FIELD=TEXT")]
    pub(crate) fields: Vec<String>,
    /// A field whose value is JSON: a number, true, null, a list or an object
    #[arg(short = 'F', long = "json-field", value_name = "FIELD=JSON")]
    pub(crate) json_fields: Vec<String>,
    /// Sends this file as the body; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fields", "json_fields"])]
    pub(crate) input: Option<PathBuf>,
    /// Adds a header
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// Reads all pages of a list
    #[arg(long)]
    pub(crate) all: bool,
    /// Uses this kind of key; by default, the path decides
    #[arg(long = "as", value_name = "KIND")]
    pub(crate) as_kind: Option<KeyKind>,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "Needs an admin key.

Examples:
  messaging audit --target whk_...
  messaging audit --action organization.adminKeys.create --since 2026-11-01T00:00:00Z
  messaging audit --outcome DENIED")]
pub(crate) struct Audit {
    /// Only what this key, member, link or kind of actor (KEY, MEMBER, LINK, OPERATOR, SYSTEM) did
    #[arg(long, value_name = "ID|KIND")]
    pub(crate) actor: Option<String>,
    /// Only this operation
    #[arg(long, value_name = "OPERATION")]
    pub(crate) action: Option<String>,
    /// Only changes of this object
    #[arg(long, value_name = "ID")]
    pub(crate) target: Option<String>,
    /// Only entries with this outcome
    #[arg(long, value_name = "DONE|DENIED|FAILED")]
    pub(crate) outcome: Option<String>,
    /// From this time on, such as 2026-11-23T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// How many entries to show
    #[arg(long, default_value_t = 25, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
}

#[derive(Args, Debug)]
#[command(after_help = "Needs an admin key. Exit code 6: a check failed, or has a warning.")]
pub(crate) struct Check {
    /// Checks only this business profile and its numbers
    #[arg(value_name = "PROFILE_ID")]
    pub(crate) profile_id: Option<String>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum KeyKind {
    /// The admin key or session token of the profile
    Admin,
    /// The app key of the profile
    App,
}

#[derive(Args, Debug)]
pub(crate) struct Upload {
    /// The file to upload
    pub(crate) file: PathBuf,
    /// The MIME type; by default, the file's extension decides
    #[arg(long, value_name = "MIME")]
    pub(crate) r#type: Option<String>,
    /// Another name than the file's
    #[arg(long)]
    pub(crate) name: Option<String>,
}
