//! Marks the messages of releases that did not count usage, so that they are counted. tools/operate/recount.py runs it as
//! `recount <table>`. It can be repeated, and runs beside the service.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use operate::{connection, describe};
use store::maintenance::Maintenance;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await.and_then(|marked| writeln!(stdout(), "{marked}").map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<usize, String> {
    let table = std::env::args().nth(1).ok_or("recount is run by `make recount`.")?;
    let maintenance = Maintenance::new(connection()?.dynamodb(), &table);
    maintenance.mark_for_counting().await.map_err(|failure| describe(&failure))
}
