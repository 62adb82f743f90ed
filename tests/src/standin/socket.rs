//! Requests and responses on a socket.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::{Misbehave, api_version};

/// One received request.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Counts the connections of the stand-in.
    pub connection: u64,
    pub method: String,
    /// The path without the base URL and version.
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// The fault that was injected.
    pub misbehaviour: Option<Misbehave>,
}

impl Seen {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(super) fn bearer(&self) -> Option<String> {
        self.headers.get("authorization")?.strip_prefix("Bearer ").map(str::to_owned)
    }

    /// A request without its body.
    fn of(request: &httparse::Request<'_, '_>) -> Option<Seen> {
        let headers = request
            .headers
            .iter()
            .map(|header| (header.name.to_lowercase(), String::from_utf8_lossy(header.value).into_owned()))
            .collect();
        let target = request.path?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Some(Seen {
            connection: 0,
            method: request.method?.to_owned(),
            path: path.trim_start_matches('/').strip_prefix(api_version()).unwrap_or(path).to_owned(),
            query: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
            headers,
            body: Vec::new(),
            misbehaviour: None,
        })
    }
}

/// Reads the next request of a connection. `None` if the connection ends.
pub(crate) fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        if let Ok(httparse::Status::Complete(head)) = request.parse(&bytes) {
            let mut seen = Seen::of(&request)?;
            let length: usize = seen.headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
            while bytes.len() < head + length {
                read_more(stream, &mut bytes)?;
            }
            seen.body = bytes[head..head + length].to_vec();
            return Some(seen);
        }
        read_more(stream, &mut bytes)?;
    }
}

fn read_more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut chunk = [0; 16 * 1024];
    let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
    bytes.extend_from_slice(&chunk[..read]);
    Some(())
}

/// Writes a response. Returns `false` if the connection has ended.
pub(crate) fn answer(stream: &mut TcpStream, (status, body): &(u16, Vec<u8>)) -> bool {
    let head =
        format!("HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).is_ok()
}
