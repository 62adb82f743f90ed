//! Schemas of the scalar types, for the OpenAPI document.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

pub(crate) fn string_of_pattern(pattern: &str) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
}
