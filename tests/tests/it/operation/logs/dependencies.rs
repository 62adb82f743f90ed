//! Lines of dependencies, and the filter that recognizes them.

use runtime::logging::WORKSPACE_CRATES;
use tests::logs::Captured;
use tests::request::text;

use super::only_line;

/// Errors of dependencies are logged with their place only; lower levels are not logged.
#[test]
fn dependencies_cannot_say_anything_in_their_own_words() {
    let captured = Captured::start();
    let said = "said-by-a-dependency";
    let span = runtime::logging::request("dependency");
    span.in_scope(|| {
        tracing::error_span!(target: "hyper::client", "exchange", header = said).in_scope(|| {
            tracing::error!(target: "hyper::client", header = said, "{said}");
            tracing::warn!(target: "hyper::client", header = said, "{said}");
            tracing::info!(target: "apis::client", header = said, "{said}");
        });
    });

    let line = only_line(&captured, "dependency");
    assert_eq!(line["message"], "a dependency reports an error");
    assert!(text(&line, "place").starts_with("hyper::client:"), "{line}");
    assert!(!captured.text().contains(said));
}

/// The filter lists exactly the project's crates: a missing crate would not be logged.
#[test]
fn our_crates_are_those_of_the_workspace() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folders = ["functions", "shared"].map(|folder| std::fs::read_dir(format!("{root}/{folder}")).unwrap());
    let mut crates: Vec<String> =
        folders.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    crates.sort();
    assert_eq!(crates, WORKSPACE_CRATES);

    let lock = std::fs::read_to_string(format!("{root}/Cargo.lock")).unwrap();
    for name in WORKSPACE_CRATES {
        assert_eq!(lock.matches(&format!("name = \"{name}\"\n")).count(), 1, "{name}");
    }
}
