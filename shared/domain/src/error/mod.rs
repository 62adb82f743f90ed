//! The table of error codes (docs/specification.md, "Error codes"). Responses, `GET /v1/errors`, the error page and the
//! OpenAPI document are generated from it.
//!
//! An entry names the kind of failure; `api::status` maps kinds to HTTP statuses. `description` and `retryable` are
//! documentation, for `GET /v1/errors` and the error page. The text of a single error is written where the failure is
//! created, with the constructors of [`Failure`](crate::Failure).

pub mod failure;
pub mod provider;
mod remedy;

mod kind;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use kind::ErrorKind;

/// The category of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorType {
    InvalidRequestError,
    AuthenticationError,
    ProviderError,
    ApiError,
}

/// The entry of one error code.
pub struct Entry {
    pub code: &'static str,
    pub kind: ErrorKind,
    /// Does not follow from the kind: the same kind of failure can be reported by a provider and by this service.
    pub error_type: ErrorType,
    /// Whether the same request can succeed later, unchanged.
    pub retryable: bool,
    pub description: &'static str,
}

macro_rules! error_codes {
    ($($variant:ident $code:literal $kind:ident $error_type:ident $retryable:literal $description:literal;)+) => {
        /// An error code of the API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($variant,)+ }

        impl ErrorCode {
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),+];

            pub fn entry(self) -> &'static Entry {
                match self {
                    $(ErrorCode::$variant => &Entry {
                        code: $code,
                        kind: ErrorKind::$kind,
                        error_type: ErrorType::$error_type,
                        retryable: $retryable,
                        description: $description,
                    },)+
                }
            }
        }

        // Written by hand, because the derive cannot read names that a macro supplies.
        impl utoipa::PartialSchema for ErrorCode {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                crate::schema::builder::one_of(&[$($code),+], "A machine-readable error code.")
            }
        }

        impl utoipa::ToSchema for ErrorCode {}
    };
}

error_codes! {
    MessageUndeliverable "message_undeliverable" Unprocessable ProviderError false
        "The message cannot be delivered to this recipient, who cannot be reached or does not receive messages of this kind. `provider` has the reason.";
    ConversationWindowExpired "conversation_window_expired" Unprocessable ProviderError false
        "More than 24 hours have passed since the recipient last wrote; only a template message can reopen the conversation.";
    RecipientNotOnChat "recipient_not_on_chat" Unprocessable ProviderError false
        "The recipient has no WhatsApp account.";
    PhoneNumberNotAssigned "phone_number_not_assigned" Forbidden InvalidRequestError false
        "The phone number is not assigned to the app of this key. Assign it first.";
    UnsupportedMessageType "unsupported_message_type" InvalidRequest InvalidRequestError false
        "Messages of this type are not supported here.";
    MediaTooLarge "media_too_large" TooLarge InvalidRequestError false
        "The file exceeds the size limit of its type or of this upload method. The message states the limit and the size.";
    InvalidPhoneNumber "invalid_phone_number" InvalidRequest InvalidRequestError false
        "The phone number in `param` is not in E.164 format (`+` and 7 to 15 digits).";
    TemplateNotFound "template_not_found" NotFound InvalidRequestError false
        "There is no approved template with this name and language.";
    TemplateParameterMismatch "template_parameter_mismatch" Unprocessable ProviderError false
        "The parameters differ in number or format from those that the template expects.";
    GroupsNotEligible "groups_not_eligible" Unprocessable ProviderError false
        "WhatsApp does not allow this business phone number to use groups.";
    AccountRestricted "account_restricted" Unprocessable ProviderError false
        "WhatsApp has restricted or locked the business account. See `additional_info` and `provider.health_status` for details.";
    DisplayNameNotApproved "display_name_not_approved" Unprocessable ProviderError false
        "WhatsApp has not approved the display name of the business phone number.";
    ChatNotConfigured "chat_not_configured" NotFound InvalidRequestError false
        "No chat business profile is connected, or the phone number is not registered with WhatsApp. Complete the embedded signup, or register the number, first.";
    PlatformApiError "platform_api_error" BadGateway ProviderError true
        "WhatsApp rejected the request (422) or failed (502), for a reason that has no code of its own here. WhatsApp's own code and message are in `provider`.";
    PlatformApiUnavailable "platform_api_unavailable" Unavailable ProviderError true
        "WhatsApp could not be reached, did not respond in time, or is temporarily unavailable.";
    CarrierApiError "carrier_api_error" BadGateway ProviderError true
        "The telephony carrier refused the request (422) or failed (502), for a reason that has no code of its own here. The carrier's own code and message are in `provider`.";
    CarrierApiUnavailable "carrier_api_unavailable" Unavailable ProviderError true
        "The telephony carrier could not be reached or did not respond in time.";
    RateLimitExceeded "rate_limit_exceeded" TooManyRequests ApiError true
        "There were too many requests, or a quota is used up. Retry after the number of seconds in `Retry-After`.";
    ChatRateLimited "chat_rate_limited" TooManyRequests ProviderError true
        "WhatsApp limits the rate of these requests. Wait before you retry.";
    ResourceAlreadyExists "resource_already_exists" Conflict InvalidRequestError false
        "An object with this unique value already exists.";
    TestAppRequired "test_app_required" Forbidden InvalidRequestError false
        "The playground accepts only the key of a test app (`sk_test_app_...`).";
    CallNotFound "call_not_found" NotFound InvalidRequestError false
        "There is no such call.";
    CallAlreadyEnded "call_already_ended" Conflict InvalidRequestError false
        "The call has ended and accepts no more commands.";
    CallFailed "call_failed" Unprocessable InvalidRequestError false
        "The call could not be set up.";
    CallRejected "call_rejected" Unprocessable InvalidRequestError false
        "The other side rejected the call.";
    CallTimeout "call_timeout" GatewayTimeout ApiError true
        "The call was not answered in time.";
    CallBusy "call_busy" Unprocessable InvalidRequestError true
        "The other side is busy.";
    CallingNotConfigured "calling_not_configured" NotFound InvalidRequestError false
        "The app has no calling configuration. Set it with PUT /v1/organization/apps/{appId}/calling.";
    CallingDisabled "calling_disabled" Forbidden InvalidRequestError false
        "Calling is disabled for this app.";
    MaxConcurrentCallsReached "max_concurrent_calls_reached" Conflict InvalidRequestError true
        "The app already has as many calls as its `maxConcurrentCalls` allows.";
    RecordingNotFound "recording_not_found" NotFound InvalidRequestError false
        "There is no such recording.";
    RecordingAlreadyInProgress "recording_already_in_progress" Conflict InvalidRequestError false
        "The call is already being recorded.";
    RecordingFailed "recording_failed" Unprocessable InvalidRequestError false
        "The call could not be recorded.";
    VoicemailNotFound "voicemail_not_found" NotFound InvalidRequestError false
        "There is no such voicemail.";
    VoicemailDisabled "voicemail_disabled" Forbidden InvalidRequestError false
        "Voicemail is disabled for this app.";
    InvalidCallCommand "invalid_call_command" InvalidRequest InvalidRequestError false
        "The call command does not exist, or its parameters are invalid.";
    CommandNotApplicable "command_not_applicable" Conflict InvalidRequestError false
        "The command is not possible in the current state of the call.";
    ChatCallingNotEnabled "chat_calling_not_enabled" Forbidden InvalidRequestError false
        "Chat calling is not enabled for this business phone number.";
    ChatCallPermissionRequired "chat_call_permission_required" Forbidden InvalidRequestError false
        "The user has not given permission to be called.";
    ChatCallPermissionLimit "chat_call_permission_limit" TooManyRequests ProviderError true
        "WhatsApp currently allows no more call permission requests to this user.";
    ChatPstnBridgeForbidden "chat_pstn_bridge_forbidden" Forbidden InvalidRequestError false
        "A chat call must not be bridged to the telephone network.";
    RtcApiError "rtc_api_error" BadGateway ProviderError true
        "The real-time media provider failed. `provider` contains its own code and message.";
    RtcRoomError "rtc_room_error" BadGateway ProviderError true
        "The real-time media provider could not open or keep the room.";
    SipTrunkError "sip_trunk_error" BadGateway ProviderError true
        "The SIP trunk failed.";
}

/// The codes that this version never returns, because they belong to operations that it does not have.
const RESERVED: &[ErrorCode] = &[
    ErrorCode::CallNotFound,
    ErrorCode::CallAlreadyEnded,
    ErrorCode::CallFailed,
    ErrorCode::CallRejected,
    ErrorCode::CallTimeout,
    ErrorCode::CallBusy,
    ErrorCode::CallingDisabled,
    ErrorCode::MaxConcurrentCallsReached,
    ErrorCode::RecordingNotFound,
    ErrorCode::RecordingAlreadyInProgress,
    ErrorCode::RecordingFailed,
    ErrorCode::VoicemailNotFound,
    ErrorCode::VoicemailDisabled,
    ErrorCode::InvalidCallCommand,
    ErrorCode::CommandNotApplicable,
    ErrorCode::ChatCallingNotEnabled,
    ErrorCode::ChatCallPermissionRequired,
    ErrorCode::ChatCallPermissionLimit,
    ErrorCode::ChatPstnBridgeForbidden,
    ErrorCode::RtcApiError,
    ErrorCode::RtcRoomError,
    ErrorCode::SipTrunkError,
];

impl ErrorCode {
    pub fn as_str(self) -> &'static str {
        self.entry().code
    }

    /// Returns whether the code is reserved: no operation of this version returns it.
    pub fn is_reserved(self) -> bool {
        RESERVED.contains(&self)
    }

    /// Returns the URL of the code's documentation, below the base URL of the documentation.
    pub fn doc_url(self, docs_url: &str) -> String {
        format!("{docs_url}/api_reference/error-codes#{}", self.as_str())
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = ErrorCode::ALL.iter().find(|code| code.as_str() == text);
        known.copied().ok_or_else(|| de::Error::custom("not an error code"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_44_codes_each_once() {
        let codes: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!((ErrorCode::ALL.len(), codes.len()), (44, 44));
    }

    #[test]
    fn faults_and_rate_limits_are_retryable_and_not_the_callers_fault() {
        for entry in ErrorCode::ALL.iter().map(|code| code.entry()) {
            if entry.kind.is_fault() || entry.kind == ErrorKind::TooManyRequests {
                assert_ne!(entry.error_type, ErrorType::InvalidRequestError, "{}", entry.code);
                assert!(entry.retryable, "{}", entry.code);
            }
        }
    }
}
