//! What a business shares of its business app, if it keeps using the app beside the API.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::{Open, Timestamp};

/// The parts of the business app that can be shared. Each can be requested once per connection, within 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppData {
    Contacts,
    History,
}

impl AppData {
    pub const ALL: [AppData; 2] = [AppData::Contacts, AppData::History];
}

/// The state of a part that was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = BusinessAppShareStatus)]
pub enum ShareStatus {
    /// WhatsApp has accepted the request. What it sends is stored.
    Requested,
    /// WhatsApp sends the history in several parts; `progress` says how far it is.
    Receiving,
    /// WhatsApp has sent the whole history.
    Complete,
    /// The business does not share it.
    Declined,
    /// WhatsApp rejected the request.
    Refused,
}

/// What became of the request for a part of the business app.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BusinessAppShare)]
pub struct Share {
    #[schema(value_type = ShareStatus)]
    pub status: Open<ShareStatus>,
    /// When it was requested.
    pub requested_at: Option<Timestamp>,
    /// How much of the history WhatsApp has sent, in percent.
    #[schema(maximum = 100)]
    pub progress: Option<u8>,
    /// WhatsApp's code of the error, if the business declined or WhatsApp rejected the request.
    pub error_code: Option<i64>,
}

/// The contacts and the history of the WhatsApp Business app that the business uses with this number. Only for accounts
/// that were connected with `isCoexistence`.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BusinessApp {
    pub contacts: Option<Share>,
    /// The chats of the last 180 days. Groups are not among them.
    pub history: Option<Share>,
}

/// The progress of a history that was sent whole, in percent.
pub const WHOLE: i64 = 100;

impl Share {
    fn new(status: ShareStatus) -> Self {
        Share { status: status.into(), requested_at: None, progress: None, error_code: None }
    }

    pub fn requested(at: Timestamp) -> Self {
        Share { requested_at: Some(at), ..Share::new(ShareStatus::Requested) }
    }

    pub fn refused(at: Timestamp, code: i64) -> Self {
        Share { requested_at: Some(at), error_code: Some(code), ..Share::new(ShareStatus::Refused) }
    }

    /// Returns the state after the business declined to share.
    fn declined(self, code: i64) -> Self {
        Share { status: ShareStatus::Declined.into(), error_code: Some(code), ..self }
    }

    /// Returns the state after a report of progress. The highest one counts, because reports arrive in any order.
    fn advanced(self, progress: i64) -> Self {
        let progress =
            u8::try_from(progress.clamp(0, WHOLE)).unwrap_or_default().max(self.progress.unwrap_or_default());
        let is_whole = i64::from(progress) == WHOLE;
        let status = if is_whole { ShareStatus::Complete } else { ShareStatus::Receiving };
        Share { status: status.into(), progress: Some(progress), error_code: None, ..self }
    }
}

impl BusinessApp {
    pub fn share(&mut self, data: AppData) -> &mut Option<Share> {
        match data {
            AppData::Contacts => &mut self.contacts,
            AppData::History => &mut self.history,
        }
    }

    /// Returns the state after a part of the history, or the error in its place.
    #[must_use]
    pub fn with_history(self, progress: Option<i64>, error: Option<i64>) -> Self {
        let history = self.history.clone().unwrap_or_else(|| Share::new(ShareStatus::Requested));
        let history = match (progress, error) {
            (Some(progress), _) => history.advanced(progress),
            // A late repetition does not undo what was received.
            (None, Some(code)) if history.progress.is_none() => history.declined(code),
            _ => return self,
        };
        BusinessApp { history: Some(history), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_progress_count_in_any_order() {
        let of = |reports: &[(Option<i64>, Option<i64>)]| {
            let report =
                |app: BusinessApp, (progress, error): &(Option<i64>, Option<i64>)| app.with_history(*progress, *error);
            reports.iter().fold(BusinessApp::default(), report).history.expect("a state")
        };
        let (half, whole, declined) = ((Some(50), None), (Some(100), None), (None, Some(2_593_109)));
        assert_eq!(of(&[half, whole]), of(&[whole, half]));
        assert_eq!((of(&[half, whole]).status, of(&[half]).progress), (ShareStatus::Complete.into(), Some(50)));
        assert_eq!(of(&[half, declined]), of(&[declined, half]));
        assert_eq!(of(&[declined]).status, ShareStatus::Declined);
        assert_eq!(of(&[(Some(700), None)]).progress, Some(100));
        assert_eq!(BusinessApp::default().with_history(None, None), BusinessApp::default());
    }
}
