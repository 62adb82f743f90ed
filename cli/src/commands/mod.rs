//! The commands.

mod accounts;
mod api;
mod apps;
mod audit;
mod check;
mod deliveries;
mod doctor;
mod keys;
mod links;
mod listen;
mod login;
mod messages;
mod recover;
mod send;
mod templates;
mod trigger;
mod upload;
mod usage;
mod webhooks;

use std::io::Read;

use clap::CommandFactory as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::args::{Arguments, Command};
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

pub(crate) async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::new(arguments.json, arguments.get.as_deref());
    let open = || Session::open(arguments.profile.as_deref(), arguments.local);
    match &arguments.command {
        Command::Login(login) => login::login(output, login, arguments.profile.as_deref()).await,
        Command::Logout => login::logout(output, arguments.profile.as_deref()),
        Command::Whoami => login::whoami(output, &open()?).await,
        Command::Api(api) => api::run(output, &open()?, api).await,
        Command::Send(send) => {
            send::expect_content(send)?;
            send::run(output, &open()?, send).await
        }
        Command::Upload(upload) => upload::run(output, &open()?, upload).await,
        Command::Messages(messages) => messages::run(output, &open()?, messages).await,
        Command::Deliveries(deliveries) => deliveries::run(output, &open()?, deliveries).await,
        Command::Webhooks(webhooks) => webhooks::run(output, &open()?, webhooks).await,
        Command::Accounts(accounts) => accounts::run(output, &open()?, accounts).await,
        Command::Links(links) => links::run(output, &open()?, links).await,
        Command::Templates(templates) => templates::run(output, &open()?, templates).await,
        Command::Apps(apps) => apps::run(output, &open()?, apps).await,
        Command::Keys(keys) => keys::run(output, &open()?, keys, arguments.profile.as_deref()).await,
        Command::Audit(audit) => audit::run(output, &open()?, audit).await,
        Command::Usage(usage) => usage::run(output, &open()?, usage).await,
        Command::Listen(listen) => listen::run(output, &open()?, listen).await,
        Command::Trigger(trigger) => trigger::run(output, &open()?, trigger).await,
        Command::Check(check) => check::run(output, &open()?, check).await,
        Command::Doctor => doctor::run(output, &open()?).await,
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "messaging", &mut text);
            output.line(String::from_utf8_lossy(&text).trim_end())
        }
    }
}

/// More than the longest secret, an access token, has.
const LONGEST_SECRET: u64 = 8192;

/// Reads a secret: the first line of a file or of standard input.
fn first_line(input: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    input.take(LONGEST_SECRET).read_to_string(&mut text)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Reads JSON that was put together as what an operation takes.
fn read_as<T: DeserializeOwned>(body: Value) -> Result<T, Failure> {
    serde_json::from_value(body).map_err(|error| Failure::Usage(format!("The input does not fit: {error}.")))
}

/// Splits `NAME=VALUE` or `NAME: VALUE`.
fn pair<'a>(text: &'a str, separator: char, example: &str) -> Result<(&'a str, &'a str), Failure> {
    let (name, value) = text.split_once(separator).filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        Failure::Usage(format!("\"{}\" must have the form {example}.", text.split(separator).next().unwrap_or(text)))
    })?;
    Ok((name.trim(), value.trim_start_matches(if separator == ':' { ' ' } else { '\0' })))
}
