//! The remedy for each error code, as the page of error codes shows it.

use crate::ErrorCode;

impl ErrorCode {
    /// Returns what to do about an error or a failed message with this code.
    pub fn remedy(self) -> &'static str {
        match self {
            ErrorCode::MessageUndeliverable => {
                "Do not retry. `provider` says why the recipient is not reached. Use another channel, or remove the recipient from your list."
            }
            ErrorCode::ConversationWindowExpired => {
                "Send a template instead. After the recipient has replied, you can send any type again for 24 hours."
            }
            ErrorCode::RecipientNotOnChat => "Use another channel, for example SMS. Do not retry.",
            ErrorCode::PhoneNumberNotAssigned => {
                "List the app's numbers with `GET /v1/phone-numbers`. Assign the number with `PUT /v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}`, or use a key of its app."
            }
            ErrorCode::UnsupportedMessageType => {
                "Choose another type or file. For types that this API does not have, use `raw`."
            }
            ErrorCode::MediaTooLarge => {
                "Send a smaller file. Files above the limit of `POST /v1/media` go through `POST /v1/media/uploads`."
            }
            ErrorCode::InvalidPhoneNumber => {
                "Write the number as `+`, country code and number, without spaces, such as `+12015550123`."
            }
            ErrorCode::TemplateNotFound => {
                "Check name and language in `GET /v1/chat/templates`. Wait if the template is pending or paused; sync the templates if it is new."
            }
            ErrorCode::TemplateParameterMismatch => {
                "Compare `param` with the template's components in `GET /v1/chat/templates`, and send each parameter that they have."
            }
            ErrorCode::GroupsNotEligible => "Use another number, or have WhatsApp enable groups for the business.",
            ErrorCode::AccountRestricted => {
                "The account's owner has to act at Meta: see `additional_info`, and `GET /v1/organization/chat/platform-check`. Stop sending until then."
            }
            ErrorCode::DisplayNameNotApproved => {
                "Have the number's display name approved at Meta, in WhatsApp Manager."
            }
            ErrorCode::ChatNotConfigured => {
                "Connect an account with `POST /v1/organization/chat/business-profiles/callback`, or register the number with `POST /v1/organization/chat/phone-numbers`."
            }
            ErrorCode::PlatformApiError => {
                "Read `provider`. If the status is 422, change the request. If it is 502, look whether the request took effect before you repeat it."
            }
            ErrorCode::PlatformApiUnavailable => {
                "Retry after the seconds in `Retry-After`. A message with this error was not sent."
            }
            ErrorCode::CarrierApiError => {
                "Read `provider.code`. If it names the recipient or the content, change the message. Spending limits, the sandbox and the account are matters of the installation's operator."
            }
            ErrorCode::CarrierApiUnavailable => {
                "Retry after the seconds in `Retry-After`. If it stays, ask the operator whether the installation has a carrier. A message with this error was not sent."
            }
            ErrorCode::RateLimitExceeded => {
                "Wait for the seconds in `Retry-After`, and send fewer requests at once. For messages, `\"queue\": true` keeps to the rates for you."
            }
            ErrorCode::ChatRateLimited => {
                "Wait for the seconds in `Retry-After`. For messages, `\"queue\": true` keeps to WhatsApp's rates for you."
            }
            ErrorCode::ResourceAlreadyExists => "Choose another value for `param`, or use the existing object.",
            ErrorCode::TestAppRequired => {
                "Use a key of a test app (`sk_test_app_...`). `POST /v1/organization/apps` with `\"test\": true` creates one."
            }
            ErrorCode::CallNotFound => "Check the id of the call.",
            ErrorCode::CallAlreadyEnded => "Nothing: the call is over.",
            ErrorCode::CallFailed => "Check the number that was called, and call again.",
            ErrorCode::CallRejected => "Do not call again at once. Send a message instead.",
            ErrorCode::CallTimeout => "Call again later, or send a message.",
            ErrorCode::CallBusy => "Call again in a few minutes.",
            ErrorCode::CallingNotConfigured => {
                "Set the configuration with `PUT /v1/organization/apps/{appId}/calling`."
            }
            ErrorCode::CallingDisabled => "Enable calling for the app first.",
            ErrorCode::MaxConcurrentCallsReached => {
                "Wait until a call has ended, or raise `maxConcurrentCalls` of the app's calling configuration."
            }
            ErrorCode::RecordingNotFound => "Check the id of the recording.",
            ErrorCode::RecordingAlreadyInProgress => "Nothing: the call is being recorded.",
            ErrorCode::RecordingFailed => "Start the recording again.",
            ErrorCode::VoicemailNotFound => "Check the id of the voicemail.",
            ErrorCode::VoicemailDisabled => "Set `voicemailEnabled` in the app's calling configuration.",
            ErrorCode::InvalidCallCommand => "Check the command's name and its parameters.",
            ErrorCode::CommandNotApplicable => "Read the state of the call, and send a command that it allows.",
            ErrorCode::ChatCallingNotEnabled => "Enable calling for the number at WhatsApp.",
            ErrorCode::ChatCallPermissionRequired => "Ask the user for permission, and call after it was given.",
            ErrorCode::ChatCallPermissionLimit => {
                "Wait for the seconds in `Retry-After` before you ask this user again."
            }
            ErrorCode::ChatPstnBridgeForbidden => "Call the user over WhatsApp only.",
            ErrorCode::RtcApiError | ErrorCode::RtcRoomError | ErrorCode::SipTrunkError => {
                "Retry. If it stays, ask the installation's operator."
            }
        }
    }
}
