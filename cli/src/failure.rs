//! What ends a command early, as text and as an exit code.

use messaging_client::{Error, ErrorKind};
use serde_json::{Value, json};

/// Exit codes, for scripts. `messaging --help` lists them.
pub(crate) mod code {
    pub(crate) const FAILED: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const CREDENTIAL: u8 = 3;
    pub(crate) const REJECTED: u8 = 4;
    pub(crate) const TEMPORARY: u8 = 5;
    pub(crate) const NEGATIVE: u8 = 6;
}

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line cannot be executed as it is.
    Usage(String),
    /// No credential, or one that this command cannot use.
    Credential(String),
    /// The request failed.
    Request(Error),
    /// The command did its work, and what it found is bad news.
    Negative(String),
    /// The program of `--exec` failed with this code.
    Program(u8),
    /// Nobody reads the output any more.
    Closed,
    Other(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => code::USAGE,
            Failure::Request(error) if error.kind() == ErrorKind::Usage => code::USAGE,
            Failure::Credential(_) => code::CREDENTIAL,
            Failure::Request(error) if error.is_temporary() => code::TEMPORARY,
            Failure::Request(error) => match error.status() {
                Some(401 | 403) => code::CREDENTIAL,
                Some(400..=499) => code::REJECTED,
                _ => code::FAILED,
            },
            Failure::Negative(_) => code::NEGATIVE,
            Failure::Program(code) => *code,
            Failure::Closed => 0,
            Failure::Other(_) => code::FAILED,
        }
    }

    /// The text for people: what is wrong, and what to do.
    pub(crate) fn text(&self) -> Option<String> {
        Some(match self {
            Failure::Usage(text) | Failure::Credential(text) | Failure::Negative(text) | Failure::Other(text) => {
                text.clone()
            }
            Failure::Request(error) if error.status().is_some() => explained(error),
            Failure::Request(error) => error.to_string(),
            Failure::Program(code) => format!("The program of --exec ended with code {code}."),
            Failure::Closed => return None,
        })
    }

    /// The same for scripts.
    pub(crate) fn json(&self) -> Value {
        let mut error = match self {
            Failure::Request(error) if error.body()["error"].is_object() => error.body()["error"].clone(),
            _ => json!({"message": self.text()}),
        };
        if let Failure::Request(failed) = self
            && let Some(status) = failed.status()
        {
            error["status"] = json!(status);
            error["requestId"] = json!(failed.request_id());
        }
        json!({"error": error, "exitCode": self.exit_code()})
    }
}

/// Returns what an error response says, and what to do.
fn explained(error: &Error) -> String {
    let mut text = error.to_string();
    error.additional_info().iter().for_each(|hint| text.push_str(&format!("\n  {hint}")));
    if let Some(code) = error.code() {
        text.push_str(&format!("\n  code: {code} {}", error.doc_url().unwrap_or_default()));
    }
    if error.status() == Some(401) {
        text.push_str("\n  The key is not valid here. `messaging whoami` shows which one is used, and `messaging login` stores another.");
    }
    if let Some(id) = error.request_id() {
        text.push_str(&format!("\n  request: {id}"));
    }
    text
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Request(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Other(error.to_string()),
        }
    }
}
