//! The schema of an interactive message: one object for each kind.

use std::borrow::Cow;

use domain::chat::outgoing::interactive::BODY_LENGTH;
use utoipa::openapi::schema::{OneOf, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Discriminator, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::interactive::{COMMON_FIELDS, InteractiveObject, Kind};
use super::schema::string_of;

/// The schema of [`InteractiveObject`].
pub(super) struct SendInteractive;

impl PartialSchema for SendInteractive {
    fn schema() -> RefOr<Schema> {
        let mut discriminator = Discriminator::new("kind");
        let mut one_of = OneOfBuilder::new();
        for kind in Kind::ALL {
            let (value, _) = kind.fields();
            let reference = Ref::from_schema_name(name(value));
            discriminator.mapping.insert(value.to_owned(), reference.ref_location.clone());
            one_of = one_of.item(reference);
        }
        let description = "An interactive message. `kind` determines its other fields.";
        one_of.discriminator(Some(discriminator)).description(Some(description)).into()
    }
}

impl ToSchema for SendInteractive {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("SendInteractive")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend(Kind::ALL.map(|kind| (name(kind.fields().0), of_kind(kind))));
        InteractiveObject::schemas(schemas);
    }
}

/// Returns the name of a kind's schema, such as `SendCtaUrlInteractive` of `cta_url`.
fn name(kind: &str) -> String {
    let words = kind.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
    format!("Send{}Interactive", words.collect::<String>())
}

/// Returns the schema of a kind's messages: the fields that all kinds have, and its own.
fn of_kind(kind: Kind) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = InteractiveObject::schema() else {
        unreachable!("a struct is an object")
    };
    let (value, own) = kind.fields();
    object.properties.retain(|name, _| COMMON_FIELDS.contains(&name.as_str()) || own.contains(&name.as_str()));
    object.properties.insert("kind".to_owned(), string_of(value, "The kind of interactive message."));
    if let (Some(RefOr::T(Schema::Object(body))), false) = (object.properties.get_mut("body"), kind == Kind::List) {
        body.max_length = Some(BODY_LENGTH);
    }
    let (description, required) = described(kind);
    object.description = Some(description.to_owned());
    for name in required {
        object.required.push((*name).to_owned());
        if let Some(property) = object.properties.remove(*name) {
            object.properties.insert((*name).to_owned(), not_null(property));
        }
    }
    Schema::Object(object).into()
}

/// Returns a kind's description, and which of its own fields are required.
fn described(kind: Kind) -> (&'static str, &'static [&'static str]) {
    match kind {
        Kind::Buttons => ("A message with buttons. The one that is pressed is sent back as a message.", &["buttons"]),
        Kind::List => (
            "A message with a button that opens a list. The row that is chosen is sent back as a message.",
            &["buttonText", "sections"],
        ),
        Kind::CtaUrl => ("A message with a button that opens a URL.", &["displayText", "url"]),
        Kind::LocationRequest => ("A message with a button that sends the recipient's location.", &[]),
        Kind::Flow => {
            ("A message with a button that opens a flow. Exactly one of `flowId` and `flowName` is required.", &["cta"])
        }
    }
}

/// Returns the schema of an optional field of the struct as that of a required property, which is never null.
fn not_null(property: RefOr<Schema>) -> RefOr<Schema> {
    match property {
        RefOr::T(Schema::OneOf(OneOf { mut items, description, .. })) if !items.is_empty() => {
            let mut value = items.swap_remove(0);
            if let RefOr::T(Schema::Object(object)) = &mut value {
                object.description = description.or(object.description.take());
            }
            value
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.schema_type = SchemaType::Type(Type::Array);
            Schema::Array(array).into()
        }
        other => other,
    }
}
