//! The steps of a run. Each step is reported, counted and, except in a dry run, performed.

use std::io::Write;

use domain::Failure;

const SHOWN: usize = 20;

pub struct Steps<W> {
    output: W,
    is_dry_run: bool,
    pub count: usize,
}

impl<W: Write> Steps<W> {
    pub fn new(output: W, is_dry_run: bool) -> Self {
        Steps { output, is_dry_run, count: 0 }
    }

    pub(crate) fn say(&mut self, line: &str) {
        // If stdout is closed, nobody wants to read the report.
        let _ = writeln!(self.output, "{line}").and_then(|()| self.output.flush());
    }

    /// Performs a step and returns its result; `None` in a dry run.
    pub(crate) async fn take<T>(
        &mut self,
        what: &str,
        act: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Option<T>, Failure> {
        self.count += 1;
        self.say(&if self.is_dry_run { format!("   would {what}") } else { format!("   {what}") });
        if self.is_dry_run { Ok(None) } else { act.await.map(Some) }
    }

    pub(crate) fn list(&mut self, title: &str, mut entries: Vec<String>) {
        let count = if entries.is_empty() { "none".to_owned() } else { entries.len().to_string() };
        self.say(&format!("   {title}: {count}"));
        entries.sort();
        for entry in entries.iter().take(SHOWN) {
            self.say(&format!("      {entry}"));
        }
        if entries.len() > SHOWN {
            self.say(&format!("      ... and {} more", entries.len() - SHOWN));
        }
    }
}
