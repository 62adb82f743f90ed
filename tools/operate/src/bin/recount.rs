//! Makes up for releases that did not count usage and did not list what needs attention: marks their messages, so that they are
//! counted, and lists what their objects need. tools/operate/recount.py runs it as `recount <table>`. It can be repeated, and
//! runs beside the service.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use operate::{connection, describe};
use store::maintenance::Maintenance;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await.and_then(|done| writeln!(stdout(), "{done}").map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the number of messages that were marked, and of entries that are listed.
async fn run() -> Result<String, String> {
    let table = std::env::args().nth(1).ok_or("recount is run by `make recount`.")?;
    let maintenance = Maintenance::new(connection()?.dynamodb(), &table);
    let marked = maintenance.mark_for_counting().await.map_err(|failure| describe(&failure))?;
    let listed = maintenance.list_needs().await.map_err(|failure| describe(&failure))?;
    Ok(format!("{marked} {listed}"))
}
