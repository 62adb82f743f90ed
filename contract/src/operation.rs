//! The operations of a document, one by one.

use serde_json::{Map, Value};

/// One operation as the document has it.
pub struct Operation<'a> {
    pub path: &'a str,
    /// In upper case.
    pub method: String,
    pub value: &'a Map<String, Value>,
}

impl Operation<'_> {
    pub fn id(&self) -> &str {
        self.value["operationId"].as_str().unwrap_or_default()
    }
}

/// In the document's order.
pub fn operations(document: &Value) -> impl Iterator<Item = Operation<'_>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.filter_map(move |(method, value)| {
            Some(Operation { path, method: method.to_uppercase(), value: value.as_object()? })
        })
    })
}
