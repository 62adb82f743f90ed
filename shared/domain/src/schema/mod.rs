//! Schemas of request fields for the OpenAPI document, for fields that are plain strings in Rust and validated later.
//! Patterns use only syntax that has the same meaning in ECMA-262, Rust and Python.

pub(crate) mod builder;

use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, Type};

use crate::chat::group::{DESCRIPTION_LENGTH, JOIN_REQUEST_ID_LENGTH, SUBJECT_LENGTH};
use crate::chat::number_profile::{EMAIL_LENGTH, WEBSITE_LENGTH};
use crate::chat::outgoing::products::PRODUCT_ID_LENGTH;
use crate::chat::outgoing::{PLATFORM_ID_LENGTH, USER_ID_LENGTH, template};
use crate::chat::{self, ChatUser, PLATFORM_ID_DIGITS};
use crate::events::webhook::{HEADER_BYTES, MAX_HEADERS};
use crate::identity::grant::NETWORK_LENGTH;
use crate::identity::member::ADDRESS_LENGTH;
use crate::media::MediaType;
use crate::schema::builder::{bounded, one_of, open_set, string};
use crate::sms;
use crate::testing::playground::MESSAGE_TYPES;
use crate::text::{NAME_LENGTH, SLUG_LENGTH, STRING_LENGTH};

/// Text without control characters, with at least one visible character.
const VISIBLE: &str = r"^[^\u0000-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF][^\u0000-\u001F\u007F-\u009F]*$";
/// Text without control characters other than line breaks and tabs, with at least one visible character.
const MESSAGE: &str = r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F][^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$";

/// One line of 1 to `MOST` characters without control characters.
pub struct Line<const MOST: usize>;

impl<const MOST: usize> PartialSchema for Line<MOST> {
    fn schema() -> RefOr<Schema> {
        bounded(VISIBLE, MOST, "One line without control characters.")
    }
}

impl<const MOST: usize> utoipa::ToSchema for Line<MOST> {}

/// Text of 1 to `MOST` characters, as `text::message_text` accepts it.
pub struct Lines<const MOST: usize>;

impl<const MOST: usize> PartialSchema for Lines<MOST> {
    fn schema() -> RefOr<Schema> {
        bounded(MESSAGE, MOST, "Text with line breaks and tabs, without other control characters.")
    }
}

impl<const MOST: usize> utoipa::ToSchema for Lines<MOST> {}

/// Text of at most `MOST` characters, as `text::optional_lines` accepts it.
pub struct OptionalLines<const MOST: usize>;

impl<const MOST: usize> PartialSchema for OptionalLines<MOST> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some(r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$"))
            .max_length(Some(MOST))
            .description(Some("Text with line breaks and tabs, trimmed, without other control characters."))
            .into()
    }
}

impl<const MOST: usize> utoipa::ToSchema for OptionalLines<MOST> {}

fn component_type() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some("The type of the component."))
}

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
    ObjectName => bounded(VISIBLE, NAME_LENGTH, "A name, trimmed, without control characters.");
    /// The strings that `text::bounded` accepts.
    ShortText => bounded(VISIBLE, STRING_LENGTH, "One line, trimmed, without control characters.");
    /// The text of a chat message.
    ChatText => bounded(MESSAGE, chat::TEXT_LENGTH, "Text with line breaks and tabs, without other control characters.");
    /// The text of an SMS message.
    SmsText => bounded(MESSAGE, sms::TEXT_LENGTH, "Text with line breaks and tabs, without other control characters.");
    /// The subject of a group.
    GroupSubject => bounded(VISIBLE, SUBJECT_LENGTH, "One line, trimmed, without control characters.");
    /// The description of a group.
    GroupDescription => bounded(MESSAGE, DESCRIPTION_LENGTH, "Text with line breaks and tabs, without other control characters.");
    /// The strings that `text::slug` accepts.
    Slug => bounded("^[a-z0-9]+(-[a-z0-9]+)*$", SLUG_LENGTH, "Lower-case letters and digits, in parts joined by single hyphens.");
    /// The strings that `text::https_url` accepts.
    HttpsUrl => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^[Hh][Tt][Tt][Pp][Ss]://[^\s@/?#\\]+([/?#][^\s\\]*)?$"))
        .max_length(Some(STRING_LENGTH))
        .description(Some("An https URL without credentials."))
        .into();
    /// The strings that `webhook::webhook_address` accepts, except that addresses outside the internet are not excluded.
    WebhookAddress => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^([Hh][Tt][Tt][Pp][Ss]://[^\s@/?#\\]+([/?#][^\s\\]*)?|arn:aws[a-z-]*:sqs:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,75}([A-Za-z0-9_-]{1,5}|\.fifo)?)$"))
        .max_length(Some(STRING_LENGTH))
        .description(Some("An https URL without credentials, or the ARN of an SQS queue."))
        .into();
    /// The strings that `text::website` accepts.
    WebsiteUrl => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s@/?#\\]+([/?#][^\s\\]*)?$"))
        .max_length(Some(WEBSITE_LENGTH))
        .description(Some("An http or https URL without credentials."))
        .into();
    /// The strings that `text::email` accepts.
    EmailAddress => builder::email(ADDRESS_LENGTH);
    /// The same, or an empty string.
    OptionalEmailAddress => builder::optional_email(EMAIL_LENGTH);
    /// The networks that `Grant::of` accepts.
    IpNetwork => builder::network(NETWORK_LENGTH);
    /// The id of a request to join a group.
    JoinRequestId => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(format!("^[!-~]{{1,{JOIN_REQUEST_ID_LENGTH}}}$")))
        .description(Some("WhatsApp's id of a request to join a group. In test mode, an id that ends in `-<code>` simulates the error of WhatsApp with that code."))
        .into();
    /// The industry of a business.
    NumberVertical => open_set(
        "KnownNumberVertical",
        &[
            "ALCOHOL", "APPAREL", "AUTO", "BEAUTY", "EDU", "ENTERTAIN", "EVENT_PLAN", "FINANCE", "GOVT", "GROCERY", "HEALTH",
            "HOTEL", "NONPROFIT", "ONLINE_GAMBLING", "OTC_DRUGS", "OTHER", "PHYSICAL_GAMBLING", "PROF_SERVICES", "RESTAURANT",
            "RETAIL", "TRAVEL", "UNDEFINED",
        ],
        "The industry of a business.",
    );
    /// The headers that `webhook_headers` accepts, except that reserved names are not excluded.
    WebhookDeliveryHeaders => ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(Some(string(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")))
        .additional_properties(Some(string(r"^([!-~]([ \t!-~]*[!-~])?)?$")))
        .max_properties(Some(MAX_HEADERS))
        .description(Some(format!(
            "HTTP headers that are sent with each delivery: at most {MAX_HEADERS}, and {} KiB in total.",
            HEADER_BYTES / 1024
        )))
        .into();
    /// The types of messages that simulated users send.
    PlaygroundMessageType => one_of(&MESSAGE_TYPES, "The type of the message.");
    /// An id of the platform.
    PlatformId => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(format!("^[0-9]{{1,{PLATFORM_ID_DIGITS}}}$")))
        .description(Some("An id of an object at WhatsApp."))
        .into();
    /// The two-step PIN of a number.
    TwoStepPin => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^[0-9]{6}$"))
        .description(Some("The two-step PIN of a WhatsApp number: six digits."))
        .examples(["482915"])
        .into();
    /// The code by which the owner of a number proves to have it.
    VerificationCode => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^[0-9]{6}$"))
        .description(Some("The code that WhatsApp has sent to the number: six digits, without the hyphen."))
        .examples(["123830"])
        .into();
    /// A language of the platform.
    CodeLanguage => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some("^[a-z]{2,3}(_[A-Z]{2})?$"))
        .description(Some("A language that WhatsApp supports, with or without a country."))
        .examples(["en_US"])
        .into();
    /// The platform's id of a user.
    PlatformUserId => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(format!(r##"^[!"$-~]{{1,{USER_ID_LENGTH}}}$"##)))
        .description(Some("A WhatsApp user id, which identifies users who do not share a phone number."))
        .examples(["US.13491208655302741918"])
        .into();
    /// The id of a message, or its id at WhatsApp.
    MessageReference => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(format!(r##"^[!"$-~]{{1,{PLATFORM_ID_LENGTH}}}$"##)))
        .description(Some("The id of a WhatsApp message: in this API (`msg_wa_...`), or at WhatsApp."))
        .examples(["msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv"])
        .into();
    /// The id of a product in its catalog.
    ProductRetailerId => bounded(VISIBLE, PRODUCT_ID_LENGTH, "The id of a product in its catalog: its content id, or SKU, as in received orders.");
    /// An object with any fields.
    JsonObject => ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .description(Some("A JSON object with any fields."))
        .into();
    /// Headers of a request.
    HttpHeaders => ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some("HTTP headers: their values by name."))
        .into();
    /// A component of a template message in the platform's format.
    TemplateComponent => ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("type", component_type())
        .required("type")
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .description(Some("A component in WhatsApp's own format, such as `header`, `body` or `button`."))
        .into();
    /// A component of a template in the platform's format.
    TemplateDefinitionComponent => ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("type", component_type())
        .required("type")
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .description(Some(r#"A component in WhatsApp's own format: `HEADER` with a `format` (`TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT`, `GIF` or `LOCATION`), `BODY` and `FOOTER` with a `text`, `BUTTONS` with `buttons`, `CAROUSEL` with `cards`, or `LIMITED_TIME_OFFER`. If its text has variables, `example` has a value for each: `body_text` or `header_text` for `{{1}}`, and `body_text_named_params` or `header_text_named_params`, with `param_name` and `example`, for names. Three examples: `{"type": "HEADER", "format": "IMAGE", "example": {"mediaId": "media_..."}}`, `{"type": "BODY", "text": "Hello {{1}}, your order {{2}} is on its way.", "example": {"body_text": [["Ann", "A-17"]]}}`, `{"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Where is it?"}]}`."#))
        .into();
    /// The parameters of a template's body.
    TemplateBodyParameters => ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(Some(string(&format!("^[a-z0-9_]{{1,{}}}$", template::NAME_LENGTH))))
        .additional_properties(Some(bounded(
            MESSAGE,
            template::VALUE_LENGTH,
            "Text with line breaks and tabs, without other control characters.",
        )))
        .min_properties(Some(*template::VALUES.start()))
        .max_properties(Some(*template::VALUES.end()))
        .description(Some("The values of the body's parameters, by name or by position: `\"1\"`, `\"2\"` and so on."))
        .into();
    /// A participant of a group.
    GroupParticipant => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(format!(r"^(\+?[1-9][0-9]{{6,14}}|{})(-[0-9]{{1,7}})?$", ChatUser::id_pattern())))
        .description(Some("A phone number with or without `+`, or a WhatsApp user id. In test mode, `-<code>` after it simulates the error of WhatsApp with that code."))
        .into();
    /// The accepted MIME types.
    AcceptedType => {
        let accepted: Vec<&str> = MediaType::accepted().collect();
        one_of(&accepted, "An accepted MIME type. Letter case and parameters are ignored.")
    };
    /// The platform's rating of a phone number.
    QualityRating => open_set(
        "KnownQualityRating",
        &["GREEN", "YELLOW", "RED", "UNKNOWN", "NA"],
        "WhatsApp's rating of the quality of a phone number.",
    );
    /// The throughput of a phone number.
    ThroughputTier => open_set(
        "KnownThroughputTier",
        &["STANDARD", "HIGH", "NOT_APPLICABLE"],
        "The rate of messages that WhatsApp accepts from a phone number.",
    );
    /// An event that changed the quality or throughput of a phone number.
    QualityEvent => open_set(
        "KnownQualityEvent",
        &["ONBOARDING", "THROUGHPUT_UPGRADE", "UPGRADE", "DOWNGRADE", "FLAGGED", "UNFLAGGED"],
        "The change of quality or throughput that WhatsApp last reported for a phone number.",
    );
    /// The status of a template.
    TemplateStatus => open_set(
        "KnownTemplateStatus",
        &["APPROVED", "ARCHIVED", "DELETED", "DISABLED", "IN_APPEAL", "LIMIT_EXCEEDED", "PAUSED", "PENDING", "PENDING_DELETION", "REJECTED"],
        "The status of a template. Only an `APPROVED` template can be sent.",
    );
    /// The category of a template.
    TemplateCategory => open_set(
        "KnownTemplateCategory",
        &["AUTHENTICATION", "MARKETING", "UTILITY"],
        "The category of a template, which determines its price.",
    );
    /// The platform's rating of a template.
    TemplateQuality => open_set(
        "KnownTemplateQuality",
        &["GREEN", "YELLOW", "RED", "UNKNOWN"],
        "WhatsApp's rating of the quality of a template.",
    );
    /// How the parameters of a template are named.
    TemplateParameterFormat => open_set(
        "KnownTemplateParameterFormat",
        &["POSITIONAL", "NAMED"],
        "Whether the parameters of a template are numbered or named.",
    );
}
