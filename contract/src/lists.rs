//! Names the schemas of lists: utoipa calls a list `List_App` and writes the schema of its items into it.

use serde_json::{Map, Value};

use crate::schemas::{self, reference};

const GENERIC: &str = "List_";

/// Renames `List_App` to `AppList`, whose items refer to `App`, in the whole document.
pub(crate) fn name(document: &mut Value) {
    if let Some(all) = document["components"]["schemas"].as_object_mut() {
        let generic: Vec<String> = all.keys().filter(|name| name.starts_with(GENERIC)).cloned().collect();
        for list in generic {
            let item = &list[GENERIC.len()..];
            let Some(mut schema) = all.remove(&list) else { continue };
            let inlined = std::mem::replace(&mut schema["properties"]["data"]["items"], reference(item));
            all.entry(item).or_insert(inlined);
            all.insert(list_name(item), schema);
        }
    }
    schemas::visit(document, &mut |object: &mut Map<String, Value>| {
        let Some(target) = object.get_mut("$ref") else { return };
        let item = schemas::target(target).and_then(|name| name.strip_prefix(GENERIC)).map(list_name);
        if let Some(list) = item {
            *target = reference(&list)["$ref"].take();
        }
    });
}

/// Returns whether the fields of a schema are those of a page of a list, which may have more.
pub(crate) fn is_page(fields: &Map<String, Value>) -> bool {
    ["data", "nextCursor"].iter().all(|name| fields.contains_key(*name))
}

fn list_name(item: &str) -> String {
    format!("{item}List")
}
