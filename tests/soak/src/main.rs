//! `make soak`: mixed requests and events on a local stack while its functions are killed. Nothing acknowledged may be lost.
//! docs/soak.md explains the results.
//!
//! Usage: `soak '<options as JSON>'`, which tools/stack/soak.py runs beside a stack of its own. Needs Linux: it reads /proc.

#![allow(clippy::unwrap_used, reason = "a soak ends where it is surprised")]
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

mod client;
mod events;
mod kills;
mod memory;
mod options;
mod processes;
mod receiver;
mod report;
mod run;
mod stack;
mod tally;
mod tenant;
mod time;

use std::process::ExitCode;

fn main() -> ExitCode {
    let options = std::env::args().nth(1).expect("no options; start the soak with `make soak`");
    let options: options::Options = serde_json::from_str(&options).unwrap();
    let output = options.result.clone();
    let run = run::Run::new(options);
    let mut result = run.run();
    let is_right = report::report(&run, &mut result);
    std::fs::write(output, format!("{result:#}\n")).unwrap();
    if is_right {
        return ExitCode::SUCCESS;
    }
    println!("\nThe soak failed; see above.");
    ExitCode::FAILURE
}
