//! Reconciles a restored table. tools/operate/restore.py runs it as `restore '<options as JSON>'`. The last line of its
//! output is the number of steps.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use operate::{Objects, Options, Tables, connection, describe, reconcile};
use store::maintenance::Maintenance;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let done = run().await.and_then(|steps| writeln!(stdout(), "{steps}").map_err(|error| error.to_string()));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<usize, String> {
    let options = std::env::args().nth(1).ok_or("restore is run by `make restore`.")?;
    let options: Options =
        serde_json::from_str(&options).map_err(|error| format!("The options are invalid: {error}"))?;
    let connection = connection()?;
    let objects = Objects::new(&connection, &options.bucket);
    let maintenance = |table: &String| Maintenance::new(connection.dynamodb(), table);
    let tables = Tables {
        restored: maintenance(&options.table),
        old: options.old_table.as_ref().map(maintenance),
        previous: options.previous_table.as_ref().map(maintenance),
    };
    reconcile(&options, tables, &objects, stdout()).await.map_err(|failure| describe(&failure))
}
