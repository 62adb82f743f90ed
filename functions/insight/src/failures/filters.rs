use api::filter_values::{one_of, period, time};
use api::list::{Filters, SentFilters};
use domain::id::{ChatPhoneNumberId, PhoneNumberId};
use domain::number::NumberId;
use domain::{ErrorCode, Failure, Timestamp};
use serde::{Deserialize, Serialize};
use store::FailureFilter;
use utoipa::{IntoParams, ToSchema};

/// The channel of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = FailureChannel)]
pub(crate) enum Channel {
    Chat,
    /// SMS and MMS.
    Sms,
}

/// The filters of failures, as the document shows them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its description is used")]
pub(crate) struct FailureParams {
    /// Only messages of this channel.
    channel: Option<Channel>,
    /// Only messages of this number, of either kind.
    #[param(rename = "phoneNumberId", pattern = "^(ph|wapn)_(test_)?[a-zA-Z0-9]{27}$")]
    phone_number_id: Option<String>,
    /// Only failures with this code.
    #[param(pattern = "^[a-z_]{1,64}$")]
    code: Option<String>,
    /// Only messages stored at this time or later.
    since: Option<Timestamp>,
    /// Only messages stored before this time.
    until: Option<Timestamp>,
}

/// The filters of failures.
#[derive(Debug)]
pub(crate) struct FailureFilters {
    pub(super) wanted: FailureFilter,
    /// Identifies the filters in cursors.
    digest: Option<String>,
}

impl FailureFilters {
    /// Returns the name of the list with its filters, which its cursors contain.
    pub(super) fn name(&self, list: &str) -> String {
        self.digest.as_ref().map_or(list.to_owned(), |digest| format!("{list}/{digest}"))
    }
}

impl Filters for FailureFilters {
    const NAMES: &'static [&'static str] = &["channel", "phoneNumberId", "code", "since", "until"];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let channel: Option<Channel> = sent.get("channel", |text, name| one_of(text, name, "chat or sms"))?;
        let wanted = FailureFilter {
            is_chat: channel.map(|channel| channel == Channel::Chat),
            number: sent.get("phoneNumberId", number)?,
            app: None,
            code: sent.get("code", code)?,
            since: sent.get("since", time)?,
            until: sent.get("until", time)?,
        };
        period(wanted.since, wanted.until)?;
        Ok(FailureFilters { wanted, digest: sent.digest("") })
    }
}

fn number(sent: &str, name: &str) -> Result<NumberId, Failure> {
    let phone = sent.parse::<PhoneNumberId>().map(NumberId::from);
    let known = phone.or_else(|_| sent.parse::<ChatPhoneNumberId>().map(NumberId::from));
    let message = format!("{name} must be the id of a phone number (ph_...) or of a chat phone number (wapn_...).");
    known.map_err(|_| Failure::invalid(name, message))
}

fn code(sent: &str, name: &str) -> Result<String, Failure> {
    let known = ErrorCode::ALL.iter().any(|code| code.as_str() == sent);
    let message = format!("{name} must be an error code, such as message_undeliverable; GET /v1/errors lists them.");
    known.then(|| sent.to_owned()).ok_or_else(|| Failure::invalid(name, message))
}
