//! Running the binary, and a receiver of events.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Each wait is for a cause; a test that waits this long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; `make test` deploys a stack and sets it"))
}

/// A user: a home folder of its own, and nothing inherited from the environment of the tests.
pub(crate) struct User {
    pub(crate) home: TempDir,
    environment: Vec<(String, String)>,
}

impl User {
    /// Nobody has logged in.
    pub(crate) fn new() -> User {
        User { home: tempfile::tempdir().unwrap(), environment: Vec::new() }
    }

    /// A developer in a checkout where `make run` is running, who uses `--local`.
    pub(crate) fn local() -> User {
        let user = User::new();
        std::fs::create_dir(user.home.path().join(".local")).unwrap();
        let names = ["BASE_URL", "ADMIN_KEY", "TEST_APP_KEY", "APP_KEY"];
        let lines = names.map(|name| format!("{name}='{}'\n", variable(name)));
        std::fs::write(user.home.path().join(".local/env"), lines.concat()).unwrap();
        user
    }

    /// An app of its own, so that no other test is in the way, with a profile that has its key and the admin key.
    pub(crate) fn with_app(name: &str) -> (User, String) {
        let user = User::new();
        user.login(&variable("ADMIN_KEY"));
        let app = user.json(&["apps", "create", name, "--test"])["id"].as_str().unwrap().to_owned();
        user.json(&["keys", "create", "--app", &app, "--save"]);
        (user, app)
    }

    pub(crate) fn login(&self, key: &str) {
        let done = self.run_with(&["login", "--base-url", &variable("BASE_URL"), "--key-stdin"], key);
        assert!(done.status.success(), "{done:?}");
    }

    /// Returns a stored key, which no command prints.
    pub(crate) fn key(&self, kind: &str) -> String {
        let file = self.home.path().join(".config/messaging/credentials.json");
        let stored: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        stored["default"][kind].as_str().unwrap().to_owned()
    }

    pub(crate) fn set(mut self, name: &str, value: &str) -> User {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_messaging"));
        command.args(arguments).current_dir(self.home.path()).env_clear();
        command.env("HOME", self.home.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.environment.iter().cloned());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // A program that rejects its arguments ends without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Runs a command line in a shell that finds the program, as the user pastes it. It succeeds.
    pub(crate) fn shell(&self, line: &str) {
        let folder = std::path::Path::new(env!("CARGO_BIN_EXE_messaging")).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.home.path()).env_clear().env("HOME", self.home.path());
        let done = shell.env("PATH", path).envs(self.environment.iter().cloned()).output().unwrap();
        assert!(done.status.success(), "{line}: {done:?}");
    }

    /// Runs a command that succeeds, and returns its JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let done = self.run(&[arguments, &["--json"]].concat());
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        serde_json::from_slice(&done.stdout).unwrap()
    }

    /// Runs a command that succeeds, and returns what people read.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// Runs a command that fails with this code, and returns what it says.
    pub(crate) fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.status.code(), Some(code), "{arguments:?}: {done:?}");
        String::from_utf8(done.stderr).unwrap()
    }
}

/// Repeats a look until it finds something.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// One received request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Returns the event if the published library accepts its signature.
    pub(crate) fn verified(&self, secret: &str) -> Value {
        let mut headers = http::HeaderMap::new();
        for (name, value) in &self.headers {
            headers.insert(name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap());
        }
        standardwebhooks::Webhook::new(secret).unwrap().verify(&self.body, &headers).unwrap();
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A receiver, whose response can be changed.
pub(crate) struct Receiver {
    pub(crate) url: String,
    status: Arc<AtomicU16>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    pub(crate) fn start(status: u16) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let receiver = Receiver { url, status: Arc::new(AtomicU16::new(status)), received: Arc::default() };
        let (status, received) = (receiver.status.clone(), receiver.received.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A connection that breaks is the sender's business.
                let _ = serve(stream, &status, &received);
            }
        });
        receiver
    }

    pub(crate) fn respond(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, status: &AtomicU16, received: &Mutex<Vec<Received>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = Received { headers, body: Vec::new() };
    request.body.resize(request.header("content-length").parse().unwrap_or_default(), 0);
    reader.read_exact(&mut request.body)?;
    received.lock().unwrap().push(request);
    let status = status.load(Ordering::SeqCst);
    write!(reader.get_mut(), "HTTP/1.1 {status} Test\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}
