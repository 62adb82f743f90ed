//! Reconciles a restored table. tools/operate/restore.py runs it as `restore '<options as JSON>'`. The last line of its
//! output is the number of steps.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use aws::Connection;
use aws_sdk_dynamodb::config::Credentials;
use domain::Failure;
use operate::{Objects, Options, Tables, reconcile};
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

/// Reads the connection from the environment variables that the launcher sets from the operator's AWS configuration.
fn connection() -> Result<Connection, String> {
    let required = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set."));
    let token = std::env::var("AWS_SESSION_TOKEN").ok();
    let (id, secret) = (required("AWS_ACCESS_KEY_ID")?, required("AWS_SECRET_ACCESS_KEY")?);
    let credentials = Credentials::new(id, secret, token, None, "environment");
    Connection::new(required("AWS_REGION")?, credentials, std::env::var("AWS_ENDPOINT_URL").ok())
}

fn describe(failure: &Failure) -> String {
    failure.cause().map_or_else(|| failure.message().to_owned(), |cause| cause.to_string())
}
