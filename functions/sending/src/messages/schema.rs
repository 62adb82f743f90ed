//! The schema of the body: one object for each type of message.

use std::borrow::Cow;

use serde_json::Value;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Discriminator, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::request::{Fields, SendChatMessage, TYPES};

/// A request of each type, or a list of several.
const EXAMPLES: &str = include_str!("examples.json");

impl PartialSchema for SendChatMessage {
    fn schema() -> RefOr<Schema> {
        let mut discriminator = Discriminator::new("type");
        let mut one_of = OneOfBuilder::new();
        for (kind, _) in TYPES {
            let reference = Ref::from_schema_name(name(kind));
            discriminator.mapping.insert(kind.to_owned(), reference.ref_location.clone());
            one_of = one_of.item(reference);
        }
        one_of.discriminator(Some(discriminator)).description(Some("The message to send.")).into()
    }
}

impl ToSchema for SendChatMessage {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("SendChatMessage")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend(TYPES.map(|(kind, _)| (name(kind), of_type(kind))));
        Fields::schemas(schemas);
    }
}

/// Returns the name of a type's schema.
fn name(kind: &str) -> String {
    format!("Send{}{}Message", kind[..1].to_ascii_uppercase(), &kind[1..])
}

/// Returns the schema of a type's messages: the fields that all types have, and the type's object.
fn of_type(kind: &str) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = Fields::schema() else { unreachable!("a struct is an object") };
    let is_excluded = |name: &str| match name {
        "replyTo" => matches!(kind, "reaction" | "pin"),
        name => name != kind && TYPES.iter().any(|(other, _)| *other == name),
    };
    object.properties.retain(|name, _| !is_excluded(name));
    let description = "The type of the message, and the name of the field that contains its object.";
    object.properties.insert("type".to_owned(), string_of(kind, description));
    object.required.push(kind.to_owned());
    object.description = Some(format!("A message of type `{kind}`."));
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    object.examples = match &examples[kind] {
        Value::Array(several) => several.clone(),
        only => vec![only.clone()],
    };
    Schema::Object(object).into()
}

/// Returns the schema of a string that has one value.
pub(super) fn string_of(value: &str, description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([value]));
    schema.description(Some(description)).into()
}
