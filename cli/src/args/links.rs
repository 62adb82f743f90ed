//! The options for onboarding links.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Links {
    /// Lists the onboarding links, newest first
    List,
    /// Creates a link and prints its URL, which is shown only once
    Create(CreateLink),
    /// Shows a link with its status
    Show {
        /// The link: onb_...
        #[arg(value_name = "LINK_ID")]
        id: String,
    },
    /// Cancels a link
    Cancel {
        /// The link: onb_...
        #[arg(value_name = "LINK_ID")]
        id: String,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  messaging links create --success-url https://example.com/done --failure-url https://example.com/failed --state customer-7
  messaging links create --test --get url --success-url https://example.com/done --failure-url https://example.com/failed")]
pub(crate) struct CreateLink {
    /// The URL that the customer is sent to when the account is connected
    #[arg(long, value_name = "URL")]
    pub(crate) success_url: String,
    /// The URL that the customer is sent to if the account was not connected
    #[arg(long, value_name = "URL")]
    pub(crate) failure_url: String,
    /// Your own text, which is passed to both URLs
    #[arg(long, value_name = "TEXT")]
    pub(crate) state: Option<String>,
    /// How long the link is open, 900 to 2592000; by default a day
    #[arg(long, value_name = "SECONDS")]
    pub(crate) expires_in: Option<i64>,
    /// The customer keeps using the account in the WhatsApp Business app (coexistence)
    #[arg(long)]
    pub(crate) coexistence: bool,
    /// Connects a simulated account
    #[arg(long)]
    pub(crate) test: bool,
}
