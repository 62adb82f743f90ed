//! Builders of OpenAPI schemas of strings, for the scalar types of this crate.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

pub(crate) fn string_of_pattern(pattern: &str, description: &str, example: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
    schema.description(Some(description)).examples([example]).into()
}

pub(crate) fn identifier(prefix: &str, pattern: &str) -> RefOr<Schema> {
    let description = format!("An identifier that begins with `{prefix}`.");
    string_of_pattern(pattern, &description, &format!("{prefix}0ujtsYcgvSTl8PAuAdqWYSMnLOv"))
}

pub(crate) fn one_of(values: &[&str], description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values.iter().copied()));
    schema.description(Some(description)).into()
}

pub(crate) fn string(pattern: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern))
}

pub(crate) fn bounded(pattern: &str, longest: usize, description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(longest));
    schema.pattern(Some(pattern)).description(Some(description)).into()
}
