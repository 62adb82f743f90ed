//! Iterates over the operations of a document.

use serde_json::{Map, Value};

use crate::names;

/// One operation of the document.
pub struct Operation<'a> {
    pub path: &'a str,
    /// The HTTP method in upper case.
    pub method: String,
    pub value: &'a Map<String, Value>,
}

impl Operation<'_> {
    pub fn id(&self) -> &str {
        self.value["operationId"].as_str().unwrap_or_default()
    }
}

/// Returns all operations in the document's order.
pub fn operations(document: &Value) -> impl Iterator<Item = Operation<'_>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.filter_map(move |(method, value)| {
            Some(Operation { path, method: method.to_uppercase(), value: value.as_object()? })
        })
    })
}

/// Returns the operations that clients use, in the document's order: all but those of pages and of the platform.
pub fn public_operations(document: &Value) -> impl Iterator<Item = Operation<'_>> {
    operations(document).filter(|operation| !names::is_internal(operation.id()))
}
