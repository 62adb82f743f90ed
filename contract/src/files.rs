//! The generated files, with their paths in the repository.

use crate::{document, http_file, postman, print, python, rust, sharing, typescript};

/// The path of the OpenAPI document.
pub const DOCUMENT: &str = "docs/openapi.json";

/// The path of the Postman collection, which is not tracked.
pub const COLLECTION: &str = "target/clients/messaging-api.postman_collection.json";
/// The path of the `.http` file, which is not tracked.
pub const HTTP_FILE: &str = "target/clients/messaging-api.http";

/// Returns the path and content of each generated file that is tracked.
pub fn tracked() -> Vec<(&'static str, String)> {
    let document = document();
    let mut files = rust::files(&document);
    files.extend(python::files(&document));
    files.extend(typescript::files(&document));
    files.push((DOCUMENT, print::document(&sharing::with_shared_parameters(document))));
    files
}

/// Returns the path and content of each file that `make contract` makes for users, and that is not tracked.
pub fn untracked() -> Vec<(&'static str, String)> {
    let document = document();
    vec![(COLLECTION, print::json(&postman::collection(&document))), (HTTP_FILE, http_file::requests(&document))]
}
