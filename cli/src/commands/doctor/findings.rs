//! What the checks find.

/// What was checked, what was found, and what to do about it; no remedy means that all is well.
pub(super) struct Finding {
    pub(super) check: String,
    pub(super) found: String,
    pub(super) remedy: Option<String>,
}

/// What a run has found so far.
#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<Finding>);

impl Findings {
    pub(super) fn good(&mut self, check: &str, found: impl Into<String>) {
        self.0.push(Finding { check: check.to_owned(), found: found.into(), remedy: None });
    }

    pub(super) fn bad(&mut self, check: &str, found: impl Into<String>, remedy: impl Into<String>) {
        self.0.push(Finding { check: check.to_owned(), found: found.into(), remedy: Some(remedy.into()) });
    }
}
