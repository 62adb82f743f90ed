//! The scripted server.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// Ends with its pipe, which closes with this value.
pub(crate) struct Server {
    process: Option<Child>,
    address: String,
}

impl Server {
    pub(crate) fn start() -> Server {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
        let mut command = Command::new("python3");
        command.arg("-B").arg(folder.join("server.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("python3 is needed");
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Server { process: Some(process), address: line.trim().to_owned() }
    }

    /// One that another process has started.
    pub(crate) fn at(address: &str) -> Server {
        Server { process: None, address: address.to_owned() }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Asks the server, not the part of it that a vector plays.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        ask(format!("{}{path}", self.address), method.to_owned(), body).await
    }
}

pub(crate) async fn ask(url: String, method: String, body: Option<Value>) -> Value {
    let asked = tokio::task::spawn_blocking(move || {
        let body = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
        let request = http::Request::builder().method(method.as_str()).uri(&url).body(body).unwrap();
        let mut response = ureq::run(request).unwrap_or_else(|error| panic!("{method} {url}: {error}"));
        response.body_mut().read_to_vec().unwrap()
    });
    let bytes = asked.await.unwrap();
    serde_json::from_slice(&bytes).unwrap_or(Value::Null)
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            drop(process.stdin.take());
            let _ = process.wait();
        }
    }
}
