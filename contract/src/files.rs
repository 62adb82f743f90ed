//! Everything that is written from the code, with its place in the repository.

use serde_json::Value;

use crate::{document, http_file, postman};

pub const DOCUMENT: &str = "docs/openapi.json";

pub fn all() -> Vec<(&'static str, String)> {
    let document = document();
    vec![
        ("docs/clients/messaging-api.postman_collection.json", pretty(&postman::collection(&document))),
        ("docs/clients/messaging-api.http", http_file::requests(&document)),
        (DOCUMENT, pretty(&document)),
    ]
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
