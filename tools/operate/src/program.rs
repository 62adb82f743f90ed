//! What all programs have in common: the connection, and how a failure is shown.

use aws::Connection;
use aws_sdk_dynamodb::config::Credentials;
use domain::Failure;

/// Reads the connection from the environment variables that the launcher sets from the operator's AWS configuration.
pub fn connection() -> Result<Connection, String> {
    let required = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set."));
    let token = std::env::var("AWS_SESSION_TOKEN").ok();
    let (id, secret) = (required("AWS_ACCESS_KEY_ID")?, required("AWS_SECRET_ACCESS_KEY")?);
    let credentials = Credentials::new(id, secret, token, None, "environment");
    Connection::new(required("AWS_REGION")?, credentials, std::env::var("AWS_ENDPOINT_URL").ok())
}

/// Returns what an operator needs to know of a failure.
pub fn describe(failure: &Failure) -> String {
    failure.cause().map_or_else(|| failure.message().to_owned(), |cause| cause.to_string())
}
