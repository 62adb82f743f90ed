//! The generated files, with their paths in the repository.

use crate::{document, http_file, markdown, postman, print, python, rust, sharing, typescript};

/// The path of the OpenAPI document.
pub const DOCUMENT: &str = "docs/openapi.json";

/// The path of the Postman collection, which is not tracked.
pub const COLLECTION: &str = "target/clients/messaging-api.postman_collection.json";
/// The path of the `.http` file, which is not tracked.
pub const HTTP_FILE: &str = "target/clients/messaging-api.http";

/// Returns the path and content of each generated file that is tracked.
pub fn tracked() -> Vec<(String, String)> {
    let document = document();
    let libraries = [rust::files(&document), python::files(&document), typescript::files(&document)].concat();
    let mut files: Vec<_> = libraries.into_iter().map(|(path, content)| (path.to_owned(), content)).collect();
    files.extend(markdown::files(&document));
    files.push((DOCUMENT.to_owned(), print::document(&sharing::with_shared_parameters(document))));
    files
}

/// Returns the path and content of each file that `make contract` makes for users, and that is not tracked.
pub fn untracked() -> Vec<(String, String)> {
    let document = document();
    let collection = print::json(&postman::collection(&document));
    vec![(COLLECTION.to_owned(), collection), (HTTP_FILE.to_owned(), http_file::requests(&document))]
}
