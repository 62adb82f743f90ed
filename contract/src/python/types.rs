//! The types: one for each schema of the document, under the schema's name. What is read is a class; what is inside the body of a
//! request is a dictionary with the names of the API.

use crate::lists::is_page;
use crate::reading::requires;
use serde_json::{Map, Value};

use super::HEADER;
use super::events::is_event;
use super::schema::{Schemas, fields_of};
use super::text::{attribute, docstring, exported, list};

const IMPORTS: &str = "from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from .._resource import Resource

if TYPE_CHECKING:
    from .events import Event
";

/// Returns the source text of the types, except those of events.
pub(super) fn module(schemas: &Schemas<'_>) -> String {
    let wanted = schemas.all().filter(|(name, schema)| !is_event(name, schemas) && !is_list(schema));
    let (objects, others): (Vec<_>, Vec<_>) = wanted.partition(|(_, schema)| fields_of(schema).is_some());

    // Aliases are evaluated at once, so that they stand behind what they name.
    let mut text = format!("{HEADER}{IMPORTS}");
    let (unions, plain): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(_, schema)| schemas.is_union_of_objects(schema));
    let mut names: Vec<String> = Vec::new();

    for (name, schema) in plain {
        names.push(name.clone());
        text.push('\n');
        text.push_str(&alias(name, &quoted_type(schemas.members(schema, false)), schema));
    }

    for (name, schema) in objects {
        if schemas.is_read(name) {
            names.push(name.clone());
            text.push_str(&class(name, schema, schemas));
        }
        if schemas.is_written(name) {
            names.push(schemas.name(name, false));
            text.push_str(&dictionary(&schemas.name(name, false), schema, schemas));
        }
    }

    for (name, schema) in unions {
        for is_read in [true, false]
            .into_iter()
            .filter(|is_read| if *is_read { schemas.is_read(name) } else { schemas.is_written(name) })
        {
            names.push(schemas.name(name, is_read));
            text.push('\n');
            text.push_str(&alias(&schemas.name(name, is_read), &quoted_type(schemas.members(schema, is_read)), schema));
        }
    }

    names.sort();
    names.dedup();
    text + &exported(&names)
}

/// Whether a schema is a page of a list, for which there is one type.
pub(super) fn is_list(schema: &Value) -> bool {
    schema["properties"].as_object().is_some_and(is_page)
}

fn alias(name: &str, value: &str, schema: &Value) -> String {
    format!("{name} = {value}\n{}", docstring(0, schema["description"].as_str().unwrap_or_default()))
}

/// Returns a type as an expression.
fn quoted_type(mut members: Vec<String>) -> String {
    members.dedup();
    let items: Vec<String> = members;
    match items.as_slice() {
        [only] if only.chars().count() < 100 => only.clone(),
        [only] => {
            let values: Vec<String> =
                only.trim_start_matches("Literal[").trim_end_matches(']').split(", ").map(str::to_owned).collect();
            list("Literal[", &values, "]").trim_end().to_owned()
        }
        _ => list("Union[", &items, "]").trim_end().to_owned(),
    }
}

fn class(name: &str, schema: &Value, schemas: &Schemas<'_>) -> String {
    let mut text = format!("\n\nclass {name}(Resource):\n{}", docstring(4, description(schema)));
    let fields = fields_of(schema).cloned().unwrap_or_default();
    if fields.is_empty() && description(schema).is_empty() {
        text.push_str("    pass\n");
    }
    for (field, value) in &fields {
        let optional = if requires(schema, field) || is_nullable(value) { "" } else { " | None" };
        text.push_str(&format!("    {}: {}{optional}\n", attribute(field), schemas.type_of(value, true)));
        text.push_str(&docstring(4, description(value)));
    }
    text
}

/// Returns a dictionary. Python 3.10 knows required keys only as a class of their own.
fn dictionary(name: &str, schema: &Value, schemas: &Schemas<'_>) -> String {
    let fields = fields_of(schema).cloned().unwrap_or_default();
    let (required, optional): (Map<_, _>, Map<_, _>) =
        fields.into_iter().partition(|(field, _)| requires(schema, field));
    if required.is_empty() {
        return typed_dict(name, "TypedDict, total=False", description(schema), &optional, schemas);
    }
    if optional.is_empty() {
        return typed_dict(name, "TypedDict", description(schema), &required, schemas);
    }
    let base = format!("_{name}");
    typed_dict(&base, "TypedDict", "", &required, schemas)
        + &typed_dict(name, &format!("{base}, total=False"), description(schema), &optional, schemas)
}

fn typed_dict(
    name: &str,
    bases: &str,
    description: &str,
    fields: &Map<String, Value>,
    schemas: &Schemas<'_>,
) -> String {
    let mut text = format!("\n\nclass {name}({bases}):\n{}", docstring(4, description));
    if fields.is_empty() && description.is_empty() {
        text.push_str("    pass\n");
    }
    for (field, value) in fields {
        text.push_str(&format!("    {field}: {}\n", schemas.type_of(value, false)));
        text.push_str(&docstring(4, self::description(value)));
    }
    text
}

pub(super) fn is_nullable(schema: &Value) -> bool {
    let has_null = |kinds: &Vec<Value>| kinds.iter().any(|kind| kind == "null" || kind["type"] == "null");
    schema["type"].as_array().is_some_and(has_null)
        || schema["oneOf"].as_array().or(schema["anyOf"].as_array()).is_some_and(has_null)
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}
