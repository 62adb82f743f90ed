//! Everything that is logged in this process, at every level that is compiled in.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

/// One for all tests of the process: a subscriber of one thread would miss call sites that other threads met first.
static CAPTURED: LazyLock<Captured> = LazyLock::new(|| {
    let captured = Captured::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(captured.clone()).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    captured
});

impl Captured {
    pub fn start() -> Captured {
        CAPTURED.clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Captured {
    type Writer = Captured;

    fn make_writer(&'a self) -> Captured {
        self.clone()
    }
}
