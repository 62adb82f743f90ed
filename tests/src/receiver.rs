//! A webhook receiver: an HTTP server in the test's process that sends configured responses and records requests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use http::HeaderMap;
use serde_json::Value;

use crate::contract;

/// One received POST request.
#[derive(Clone, Debug)]
pub struct Got {
    pub at: Instant,
    pub head: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn id(&self) -> String {
        self.headers["webhook-id"].to_str().unwrap().to_owned()
    }
}

/// Returns the response to a request, byte for byte, and the delay before it, given the number of requests so far.
pub type Answer = Arc<dyn Fn(usize, &Got) -> (Duration, Vec<u8>) + Send + Sync>;

#[derive(Clone)]
pub struct Receiver {
    pub url: String,
    got: Arc<Mutex<Vec<Got>>>,
}

/// A response with this status and no body.
pub fn status(status: u16) -> Answer {
    Arc::new(move |_, _| (Duration::ZERO, plain(status, "said")))
}

pub fn plain(status: u16, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Answer\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

impl Receiver {
    pub fn start(answer: Answer) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hooks?a=b", listener.local_addr().unwrap());
        let receiver = Receiver { url, got: Arc::default() };
        let server = receiver.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (server, answer) = (server.clone(), answer.clone());
                thread::spawn(move || server.serve(stream, &answer));
            }
        });
        receiver
    }

    pub fn got(&self) -> Vec<Got> {
        let got = self.got_undocumented();
        for got in got.iter().filter(|got| got.headers.contains_key("webhook-signature")) {
            contract::check_delivery(&got.headers, &got.json());
        }
        got
    }

    /// Returns the requests without validating them against the document.
    pub fn got_undocumented(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    /// The number of distinct events received, not validated against the document, because validation is slow.
    pub fn count(&self) -> usize {
        self.got.lock().unwrap().iter().map(Got::id).collect::<BTreeSet<_>>().len()
    }

    /// The number of requests for each event id.
    pub fn ids(&self) -> BTreeMap<String, usize> {
        let mut ids = BTreeMap::new();
        for got in self.got() {
            *ids.entry(got.id()).or_default() += 1;
        }
        ids
    }

    fn serve(&self, mut stream: TcpStream, answer: &Answer) {
        let Some(got) = read(&mut stream) else { return };
        let count = {
            let mut all = self.got.lock().unwrap();
            all.push(got.clone());
            all.len()
        };
        let (pause, bytes) = answer(count, &got);
        thread::sleep(pause);
        let _ = stream.write_all(&bytes);
    }
}

fn read(stream: &mut TcpStream) -> Option<Got> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        if let Ok(httparse::Status::Complete(end)) = request.parse(&bytes) {
            let mut found = HeaderMap::new();
            for header in request.headers.iter() {
                let name = http::HeaderName::from_bytes(header.name.as_bytes()).unwrap();
                found.insert(name, http::HeaderValue::from_bytes(header.value).unwrap());
            }
            let length: usize =
                found.get("content-length").and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(0);
            let head = format!("{} {}", request.method?, request.path?);
            while bytes.len() < end + length {
                let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
                bytes.extend_from_slice(&chunk[..read]);
            }
            return Some(Got { at: Instant::now(), head, headers: found, body: bytes[end..end + length].to_vec() });
        }
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
}
