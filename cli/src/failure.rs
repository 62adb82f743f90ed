//! What ends a command early, as text and as an exit code.

use messaging_client::Error;
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
            Failure::Usage(_) | Failure::Request(Error::Invalid(_)) => code::USAGE,
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
            Failure::Request(Error::Api(error)) => {
                let mut text = error.to_string();
                let details = error.details.as_ref();
                let hints = details.and_then(|details| details.additional_info.as_ref()).into_iter().flatten();
                hints.for_each(|hint| text.push_str(&format!("\n  {hint}")));
                if let Some(code) = &error.code {
                    let page = details.and_then(|details| details.doc_url.as_deref()).unwrap_or_default();
                    text.push_str(&format!("\n  code: {code} {page}"));
                }
                if error.status == 401 {
                    text.push_str("\n  The key is not valid here. `messaging whoami` shows which one is used, and `messaging login` stores another.");
                }
                if let Some(id) = &error.request_id {
                    text.push_str(&format!("\n  request: {id}"));
                }
                text
            }
            Failure::Request(error) => error.to_string(),
            Failure::Program(code) => format!("The program of --exec ended with code {code}."),
            Failure::Closed => return None,
        })
    }

    /// The same for scripts.
    pub(crate) fn json(&self) -> Value {
        let mut error = match self {
            Failure::Request(Error::Api(error)) if error.body["error"].is_object() => error.body["error"].clone(),
            _ => json!({"message": self.text()}),
        };
        if let Failure::Request(Error::Api(api)) = self {
            error["status"] = json!(api.status);
            error["requestId"] = json!(api.request_id);
        }
        json!({"error": error, "exitCode": self.exit_code()})
    }
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
