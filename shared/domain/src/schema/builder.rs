//! Builders of OpenAPI schemas of strings, for the scalar types of this crate.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, Type};

/// The ksuid in examples of ids. No object has it.
pub(crate) const EXAMPLE_KSUID: &str = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";

pub(crate) fn string_of_pattern(pattern: &str, description: &str, example: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
    schema.description(Some(description)).examples([example]).into()
}

pub(crate) fn identifier(prefix: &str, pattern: &str) -> RefOr<Schema> {
    let description = format!("An identifier that begins with `{prefix}`.");
    string_of_pattern(pattern, &description, &format!("{prefix}{EXAMPLE_KSUID}"))
}

pub(crate) fn one_of(values: &[&str], description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values.iter().copied()));
    schema.description(Some(description)).into()
}

/// Returns the schema of a string with known values, to which the platform may add others. `title` names the
/// enumeration of the known values in generated clients.
pub(crate) fn open_set(title: &str, known: &[&str], description: &str) -> RefOr<Schema> {
    let known =
        ObjectBuilder::new().schema_type(Type::String).title(Some(title)).enum_values(Some(known.iter().copied()));
    let description = format!("{description} WhatsApp may add values, so accept other strings too.");
    AnyOfBuilder::new()
        .item(known)
        .item(ObjectBuilder::new().schema_type(Type::String))
        .description(Some(description))
        .into()
}

pub(crate) fn string(pattern: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern))
}

pub(crate) fn bounded(pattern: &str, longest: usize, description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(longest));
    schema.pattern(Some(pattern)).description(Some(description)).into()
}

/// The schema of a network.
pub(super) fn network(longest: usize) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(longest))
        .description(Some("An IPv4 or IPv6 address, or a network in CIDR notation without bits behind its prefix."))
        .examples(["203.0.113.0/24"])
        .into()
}

/// Returns the schema of the strings that `text::email` accepts.
pub(crate) fn email(most: usize) -> RefOr<Schema> {
    string_of_length(r"^[!-?A-~]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$", most, "An email address.")
}

pub(crate) fn optional_email(most: usize) -> RefOr<Schema> {
    let description = "An email address, or an empty string, which removes it.";
    string_of_length(r"^([!-?A-~]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+)?$", most, description)
}

fn string_of_length(pattern: &str, most: usize, description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).max_length(Some(most));
    schema.description(Some(description)).into()
}
