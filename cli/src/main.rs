//! `messaging`: the command line of the messaging API.

mod args;
mod commands;
mod failure;
mod key;
mod output;
mod paging;
mod profile;
mod scope;
mod session;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(commands::run(&arguments)),
        Err(error) => Err(error.into()),
    };
    let Err(failure) = done else { return ExitCode::SUCCESS };
    let text = match arguments.json {
        true => Some(failure.json().to_string()),
        false => failure.text().map(|text| format!("error: {}", lines(&text))),
    };
    if let Some(text) = text {
        // If stderr is closed, there is nowhere to report it.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
    ExitCode::from(failure.exit_code())
}

/// Keeps the lines of a text, and nothing else that a terminal would execute.
fn lines(text: &str) -> String {
    text.lines().map(output::plain).collect::<Vec<_>>().join("\n")
}
