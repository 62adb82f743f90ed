//! Schemas of request fields for the OpenAPI document, for fields that are plain strings in Rust and validated later.
//! Patterns use only syntax that has the same meaning in ECMA-262, Rust and Python.

use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::chat::group::{DESCRIPTION_LENGTH, SUBJECT_LENGTH};
use crate::media::MediaType;
use crate::schema_builder::{bounded, one_of, string};
use crate::text::{NAME_LENGTH, SLUG_LENGTH, STRING_LENGTH};
use crate::webhook::MAX_HEADERS;

/// Text without control characters, with at least one visible character.
const VISIBLE: &str = r"^[^\u0000-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF][^\u0000-\u001F\u007F-\u009F]*$";
/// Text without control characters other than line breaks and tabs, with at least one visible character.
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
    /// The strings that `text::name` accepts.
    Name => bounded(VISIBLE, NAME_LENGTH, "A name, trimmed, without control characters.");
    /// The strings that `text::bounded` accepts.
    ShortText => bounded(VISIBLE, STRING_LENGTH, "One line, trimmed, without control characters.");
    /// The text of a chat message.
    ChatText => bounded(MESSAGE, 4096, "Text with line breaks and tabs, without other control characters.");
    /// The text of an SMS message.
    SmsText => bounded(MESSAGE, 1600, "Text with line breaks and tabs, without other control characters.");
    /// The subject of a group.
    GroupSubject => bounded(VISIBLE, SUBJECT_LENGTH, "One line, trimmed, without control characters.");
    /// The description of a group.
    GroupDescription => bounded(MESSAGE, DESCRIPTION_LENGTH, "Text with line breaks and tabs, without other control characters.");
    /// The strings that `text::slug` accepts.
    Slug => bounded("^[a-z0-9]+(-[a-z0-9]+)*$", SLUG_LENGTH, "Lower-case letters and digits, in parts joined by single hyphens.");
    /// The strings that `text::https_url` accepts.
    HttpsUrl => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^https://[^\s@\\]+$"))
        .max_length(Some(STRING_LENGTH))
        .description(Some("An https URL without credentials."))
        .into();
    /// The headers that `webhook_headers` accepts, except that reserved names are not excluded.
    DeliveryHeaders => ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(Some(string(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")))
        .additional_properties(Some(string(r"^([!-~]([ \t!-~]*[!-~])?)?$")))
        .max_properties(Some(MAX_HEADERS))
        .description(Some("HTTP headers that are sent with each delivery: at most 20, and 8 KiB in total."))
        .into();
    /// The message type that the playground accepts.
    PlaygroundMessageType => one_of(&["text"], "The message type. The playground accepts only text.");
    /// An id of the platform.
    PlatformId => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^[0-9]{1,32}$"))
        .description(Some("An id of the chat platform."))
        .into();
    /// A participant of a group.
    Participant => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^\+?[1-9][0-9]{6,14}(-[0-9]{1,7})?$"))
        .description(Some("A phone number with or without `+`. In test mode, `-<code>` after it simulates that error of the platform."))
        .into();
    /// The accepted MIME types.
    AcceptedType => {
        let accepted: Vec<&str> = MediaType::accepted().collect();
        one_of(&accepted, "An accepted MIME type. Letter case and parameters are ignored.")
    };
}
