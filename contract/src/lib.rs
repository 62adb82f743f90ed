//! The OpenAPI document, made from the annotations of the functions' handlers, and the client files made from it.
//!
//! `cargo run -p contract` writes the files; tests check that the committed files match the code.

mod answers;
mod case;
mod document;
mod error_classes;
mod errors;
mod events;
mod examples;
pub mod files;
mod functions;
mod guide;
mod http_file;
mod links;
mod lists;
mod markdown;
pub mod names;
mod operation;
mod parameters;
mod postman;
pub mod print;
mod python;
mod reading;
mod rust;
mod schemas;
mod sharing;
mod typescript;

pub use document::document;
pub use functions::{ROUTES, Route, needed_scopes};
pub use operation::{Operation, operations, public_operations};
pub use schemas::DEFAULT;
