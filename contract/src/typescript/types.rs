//! The types: one for each schema of the document, under the schema's name.

use crate::lists::is_page;
use crate::reading::requires;
use serde_json::{Map, Value};

use super::events::is_event;
use super::schema::Reading;
use super::text::{comment, commented, key, union};
use super::{HEADER, extension, import_used};

const OPEN: &str = "
/** One of the known values, or one that a later version of the service adds. */
export type Open<Known extends string> = Known | (string & {});

/** One page of a list. */
export interface Page<Item> {
  /** The objects on this page. It may have fewer than asked for, or none, although more follow. */
  data: Item[];
  /** The cursor of the next page; `null` on the last page only. */
  nextCursor: string | null;
}
";

/// Returns the source text of the types, except those of events.
pub(super) fn module(document: &Value, reading: &Reading) -> String {
    let Some(schemas) = document["components"]["schemas"].as_object() else { return String::new() };
    let is_wanted = |name: &str| reading.is_used(name) && !is_event(name, schemas);
    let mut types = OPEN.to_owned();
    for (name, schema) in schemas.iter().filter(|(name, schema)| is_wanted(name) && !is_list(schema)) {
        types.push('\n');
        types.push_str(&define(name, schema, schemas, reading));
    }
    HEADER.to_owned() + &import_used(["Event".to_owned()].into_iter(), &types, "./events.ts") + &types
}

/// Whether a schema is a page of a list, for which there is one type.
pub(super) fn is_list(schema: &Value) -> bool {
    schema["properties"].as_object().is_some_and(is_page)
}

fn define(name: &str, schema: &Value, schemas: &Map<String, Value>, reading: &Reading) -> String {
    let description = comment(0, schema["description"].as_str().unwrap_or_default());
    let fields = schema["properties"].as_object().filter(|_| schema["additionalProperties"] != true);
    match fields {
        Some(fields) => description + &interface(name, schema, fields, schemas, reading),
        // The values of an enum are written or read: where they are only read, the property says that there may be others.
        None => description + &union(&format!("export type {name} ="), &reading.members(schema, false), ";"),
    }
}

fn interface(
    name: &str,
    schema: &Value,
    fields: &Map<String, Value>,
    schemas: &Map<String, Value>,
    reading: &Reading,
) -> String {
    let is_read = reading.is_only_read(name);
    let base = extension::base_of(name, schema, schemas, reading);
    let extends = base.map_or_else(String::new, |(base, _)| format!(" extends {base}"));
    let mut text = format!("export interface {name}{extends} {{\n");
    let is_inherited = |field: &str, value: &Value| base.is_some_and(|(_, base)| base["properties"][field] == *value);
    for (field, value) in fields.iter().filter(|(field, value)| !is_inherited(field, value)) {
        text.push_str(&property(field, value, requires(schema, field), is_read, reading));
    }
    text + "}\n"
}

/// Returns a property with its comment.
pub(super) fn property(name: &str, schema: &Value, is_required: bool, is_read: bool, reading: &Reading) -> String {
    let mark = if is_required { "" } else { "?" };
    let description = schema["description"].as_str().unwrap_or_default();
    let members = reading.members(schema, is_read);
    commented(2, description, &union(&format!("  {}{mark}:", key(name)), &members, ";"))
}
