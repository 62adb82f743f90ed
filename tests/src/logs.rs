//! Captures the log of this process: the lines that the functions write, and unfiltered output at every level that is compiled
//! in.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::Value;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

/// Captured output, in place of stdout.
#[derive(Clone, Default)]
pub struct Output(Arc<Mutex<Vec<u8>>>);

/// The messages of lines that record a request, a write or a step of the work that follows.
const RECORDS: [&str; 5] = ["request", "write", "job done", "event dispatched", "delivery attempted"];

#[derive(Clone, Default)]
pub struct Captured {
    everything: Output,
    lines: Output,
}

/// The subscriber for all tests of the process. A subscriber per thread would miss call sites that other threads registered.
static CAPTURED: LazyLock<Captured> = LazyLock::new(|| {
    let captured = Captured::default();
    let everything = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(captured.everything.clone());
    let subscriber =
        tracing_subscriber::registry().with(everything).with(runtime::logging::layer(captured.lines.clone()));
    tracing::subscriber::set_global_default(subscriber).unwrap();
    // Print panics of failing tests as usual.
    let said = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        runtime::logging::log_panic(panic);
        said(panic);
    }));
    captured
});

impl Captured {
    pub fn start() -> Captured {
        CAPTURED.clone()
    }

    /// The unfiltered output.
    pub fn everything(&self) -> String {
        self.everything.text()
    }

    /// The functions' log.
    pub fn text(&self) -> String {
        self.lines.text()
    }

    /// The log lines of one request or invocation, except for the ones that record that it took place.
    pub fn lines_of(&self, request: &str) -> Vec<Value> {
        let is_record = |line: &Value| RECORDS.iter().any(|message| line["message"] == *message);
        self.lines.json().into_iter().filter(|line| line["request"] == request && !is_record(line)).collect()
    }

    /// The records of what took place in a request or an invocation.
    pub fn records_of(&self, request: &str) -> Vec<Value> {
        let is_record = |line: &Value| RECORDS.iter().any(|message| line["message"] == *message);
        self.lines.json().into_iter().filter(|line| line["request"] == request && is_record(line)).collect()
    }

    /// The log lines that contain a field with this value.
    pub fn lines_with(&self, field: &str, value: &str) -> Vec<Value> {
        self.lines.json().into_iter().filter(|line| line[field] == value).collect()
    }
}

impl Output {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        let text = self.text();
        assert!(text.is_empty() || text.ends_with('\n'), "the last line is incomplete");
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"))).collect()
    }

    pub fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Output {
    type Writer = Output;

    fn make_writer(&'a self) -> Output {
        self.clone()
    }
}
