//! Schemas of request fields, for the OpenAPI document. A request field names its schema here where the field itself is a plain
//! string that is validated later. Patterns use only syntax that ECMA-262, Rust and Python read alike.

use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::chat::group::{DESCRIPTION_LENGTH, SUBJECT_LENGTH};
use crate::media::MediaType;
use crate::schema_builder::{bounded, one_of, string};
use crate::text::{NAME_LENGTH, SLUG_LENGTH, STRING_LENGTH};
use crate::webhook::HEADERS;

/// No control characters, and one character at least that can be seen.
const VISIBLE: &str = r"^[^\u0000-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF][^\u0000-\u001F\u007F-\u009F]*$";
/// The same with line breaks and tabs.
const MESSAGE: &str = r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F][^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$";

macro_rules! described {
    ($($(#[$doc:meta])* $name:ident => $schema:expr;)+) => {
        $(
            $(#[$doc])*
            pub struct $name;

            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    $schema
                }
            }

            impl utoipa::ToSchema for $name {}
        )+
    };
}

described! {
    /// What `text::name` takes.
    Name => bounded(VISIBLE, NAME_LENGTH, "A name, trimmed, without control characters.");
    /// What `text::bounded` takes.
    ShortText => bounded(VISIBLE, STRING_LENGTH, "One line, trimmed, without control characters.");
    /// The text of a chat message.
    ChatText => bounded(MESSAGE, 4096, "Text with line breaks and tabs, without other control characters.");
    /// The text of an SMS message.
    SmsText => bounded(MESSAGE, 1600, "Text with line breaks and tabs, without other control characters.");
    /// What a group is about, in a line.
    GroupSubject => bounded(VISIBLE, SUBJECT_LENGTH, "One line, trimmed, without control characters.");
    /// What a group is about.
    GroupDescription => bounded(MESSAGE, DESCRIPTION_LENGTH, "Text with line breaks and tabs, without other control characters.");
    /// What `text::slug` takes.
    Slug => bounded("^[a-z0-9]+(-[a-z0-9]+)*$", SLUG_LENGTH, "Lower-case letters and digits, in parts joined by single hyphens.");
    /// What `text::https_url` takes.
    HttpsUrl => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^https://[^\s@\\]+$"))
        .max_length(Some(STRING_LENGTH))
        .description(Some("An https address, without credentials."))
        .into();
    /// What `webhook_headers` takes, but for the names that it keeps for itself.
    DeliveryHeaders => ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(Some(string(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")))
        .additional_properties(Some(string(r"^([!-~]([ \t!-~]*[!-~])?)?$")))
        .max_properties(Some(HEADERS))
        .description(Some("HTTP headers that are sent with every delivery: at most 20, and 8 KiB in all."))
        .into();
    /// The kind of message that the playground takes.
    PlaygroundMessageType => one_of(&["text"], "The playground takes no other type.");
    /// An id that the platform gave.
    PlatformId => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^[0-9]{1,32}$"))
        .description(Some("An id of the chat platform."))
        .into();
    /// A participant of a group.
    Participant => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^\+?[1-9][0-9]{6,14}(-[0-9]{1,7})?$"))
        .description(Some("A phone number with or without `+`. In test mode `-<code>` after it asks for that error of the platform."))
        .into();
    /// The types of media that are accepted.
    AcceptedType => {
        let accepted: Vec<&str> = MediaType::accepted().collect();
        one_of(&accepted, "A MIME type that is accepted; letter case does not matter, and neither do parameters.")
    };
}
