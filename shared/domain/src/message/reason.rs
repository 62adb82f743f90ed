//! Why a message failed, in the same form for both channels: this API's code and text, and the provider's own.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::error::provider::{Provider, ProviderCode, ProviderSource, shown};
use crate::{ErrorCode, Failure, chat::platform_error, chat::platform_words, sms::carrier_error};

/// The provider's own error code and message for a message that failed. Absent if the provider reported none.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[schema(as = MessageProvider)]
pub struct MessageProvider {
    pub source: ProviderSource,
    pub code: ProviderCode,
    /// The provider's own description of the error.
    pub message: String,
    /// Meta's id of the failed request (`fbtrace_id`), for support requests.
    pub platform_trace_id: Option<String>,
}

/// Why a message failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// A code of this API; `None` if none of them fits.
    pub code: Option<String>,
    /// This API's text.
    pub message: String,
    pub provider: Option<MessageProvider>,
}

impl From<&Provider> for MessageProvider {
    fn from(provider: &Provider) -> Self {
        MessageProvider {
            source: provider.source,
            code: provider.code.clone(),
            message: provider.message.clone(),
            platform_trace_id: provider.platform_trace_id.clone(),
        }
    }
}

impl Reason {
    /// Returns the reason that a message or recipient shows; `None` if it shows none.
    pub fn shown(code: Option<&String>, message: Option<&String>, provider: Option<&MessageProvider>) -> Option<Self> {
        let is_shown = code.is_some() || message.is_some() || provider.is_some();
        is_shown.then(|| Reason {
            code: code.cloned(),
            message: message.cloned().unwrap_or_default(),
            provider: provider.cloned(),
        })
    }

    /// Returns whether this is the reason to show if another one is known. A reason with a code is preferred; otherwise the
    /// lower one is, so that the order in which they become known does not matter.
    pub fn is_preferred_to(&self, known: &Self) -> bool {
        (self.code.is_none(), self) < (known.code.is_none(), known)
    }

    /// Returns the reason of a message that was refused. Errors of a provider are explained by the table of its codes.
    pub fn of(failure: &Failure) -> Self {
        let provider = failure.provider_details();
        let explanation = provider.and_then(|provider| match (&provider.code, provider.source) {
            (ProviderCode::Number(code), ProviderSource::Platform) => Some(platform_words::explanation(*code)),
            (ProviderCode::Text(code), ProviderSource::Carrier) if !failure.kind().is_fault() => {
                Some(carrier_error::explanation(code))
            }
            _ => None,
        });
        Reason {
            code: failure.code().map(|code| code.as_str().to_owned()),
            message: explanation.unwrap_or(failure.message()).to_owned(),
            provider: provider.map(MessageProvider::from),
        }
    }

    /// Returns the reason that the platform names in a status: one of its codes, and its words.
    pub fn of_platform(code: i64, words: &str) -> Self {
        let own = platform_error::translate(code).unwrap_or(ErrorCode::PlatformApiError);
        Reason {
            code: Some(own.as_str().to_owned()),
            message: platform_words::explanation(code).to_owned(),
            provider: Some((&Provider::platform(code, words, None)).into()),
        }
    }

    /// Returns the reason that the carrier names in a receipt: the result, and its words.
    pub fn of_carrier(result: &str, words: Option<&str>) -> Self {
        let words = words.map(shown).filter(|words| !words.is_empty());
        let provider = Provider::carrier(result, words.as_deref().unwrap_or(result));
        Reason {
            code: Some(carrier_error::of_result(result).as_str().to_owned()),
            message: carrier_error::explanation(result).to_owned(),
            provider: Some((&provider).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_channel_is_explained_in_its_own_words() {
        let rejected = platform_error::rejected(Provider::platform(131_026, "no", Some("A1".to_owned())));
        let reason = Reason::of(&rejected);
        assert_eq!((reason.code.as_deref(), &reason.message[..8]), (Some("message_undeliverable"), "WhatsApp"));
        let provider = reason.provider.expect("a provider");
        assert_eq!((provider.code, provider.platform_trace_id.as_deref()), (ProviderCode::Number(131_026), Some("A1")));
        let blocked = Reason::of_carrier("CARRIER_BLOCKED", Some(""));
        assert_eq!(
            (blocked.code.as_deref(), &blocked.message[..23]),
            (Some("message_undeliverable"), "The recipient's network")
        );
        assert_eq!(blocked.provider.expect("a provider").message, "CARRIER_BLOCKED");
        // A refusal by this API itself keeps its text, and has a code only if one fits.
        let own = Reason::of(&Failure::conflict("The group is not active."));
        assert_eq!(own, Reason { code: None, message: "The group is not active.".to_owned(), provider: None });
    }
}
