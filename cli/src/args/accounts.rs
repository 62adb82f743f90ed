//! The options for accounts of the chat platform.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Accounts {
    /// Lists the business profiles with the outcome of their latest daily check
    List,
    /// Connects or reconnects an account with an access token
    Connect(ConnectAccount),
    /// Disconnects an account: ends its subscription, deletes its token and releases its numbers
    Disconnect {
        /// The business profile: wabp_...
        #[arg(value_name = "PROFILE_ID")]
        id: String,
    },
}

#[derive(Args, Debug)]
#[command(
    after_help = "Asks for the token on a terminal. There is no option that takes a token, because other users see arguments.

Examples:
  messaging accounts connect --account 102290129340398 --token-file token.txt
  pass show meta/system-user | messaging accounts connect --account 102290129340398 --token-stdin"
)]
pub(crate) struct ConnectAccount {
    /// The id of the WhatsApp Business Account (WABA)
    #[arg(long, value_name = "WABA_ID")]
    pub(crate) account: String,
    /// The id of the Meta business portfolio that owns the account; by default, it is read from WhatsApp
    #[arg(long, value_name = "BUSINESS_ID")]
    pub(crate) business: Option<String>,
    /// Reads the access token from the first line of standard input
    #[arg(long)]
    pub(crate) token_stdin: bool,
    /// Reads the access token from the first line of this file
    #[arg(long, value_name = "FILE", conflicts_with = "token_stdin")]
    pub(crate) token_file: Option<PathBuf>,
    /// Connects a simulated account, which accepts any token
    #[arg(long)]
    pub(crate) test: bool,
}
