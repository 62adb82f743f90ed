//! The generated files, with their paths in the repository.

use serde_json::Value;

use crate::{document, http_file, postman, rust_types};

/// The path of the OpenAPI document.
pub const DOCUMENT: &str = "docs/openapi.json";

/// Returns the path and content of each generated file.
pub fn all() -> Vec<(&'static str, String)> {
    let document = document();
    vec![
        ("docs/clients/messaging-api.postman_collection.json", pretty(&postman::collection(&document))),
        ("docs/clients/messaging-api.http", http_file::requests(&document)),
        ("clients/rust/src/types.rs", rust_types::module(&document)),
        (DOCUMENT, pretty(&document)),
    ]
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
