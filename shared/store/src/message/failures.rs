//! The messages that reached nobody, over all numbers and both channels: a sparse list that is written with the failure. A message
//! that is delivered later leaves it.

use domain::id::{AppId, Identifier as _, first_ksuid_at};
use domain::message::ending::{Ending, UNKNOWN_SHOWN_AFTER};
use domain::message::step::Step;
use domain::message::{MessageId, Outcome};
use domain::number::NumberId;
use domain::page::MESSAGES_LOOKED_AT;
use domain::{Failure, Mode, Open, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::kind::MessageKind;
use super::stored::Stored;
use crate::engine::change::Change;
use crate::engine::item::NewItem;
use crate::engine::log::{Log, Most, Span};
use crate::engine::page::{Page, PageRequest};
use crate::{OrganizationStore, keys};

/// More than the largest item of the list.
const LARGEST: usize = 1024;

/// A message in the list of failures.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedMessage {
    pub message_id: MessageId,
    /// The id of the number, of either kind.
    pub number: String,
    pub app_id: Option<AppId>,
    pub ending: Open<Ending>,
    /// This API's code.
    pub code: Option<String>,
    /// When it failed.
    pub at: Timestamp,
    pub ttl: Option<i64>,
}

impl FailedMessage {
    /// Returns the sort key.
    fn place(&self) -> &str {
        self.message_id.ksuid()
    }
}

/// The filter of the list of failures.
#[derive(Clone, Debug, Default)]
pub struct FailureFilter {
    /// Whether chat messages or SMS messages are wanted.
    pub is_chat: Option<bool>,
    pub number: Option<NumberId>,
    pub app: Option<AppId>,
    pub code: Option<String>,
    /// Only messages that were stored then or later.
    pub since: Option<Timestamp>,
    /// Only messages that were stored before.
    pub until: Option<Timestamp>,
}

impl FailureFilter {
    fn matches(&self, failed: &FailedMessage, now: Timestamp) -> bool {
        let is_chat = matches!(failed.message_id, MessageId::Chat(_));
        let is_over = failed.ttl.is_some_and(|ttl| ttl <= now.seconds());
        let is_fresh = failed.ending.known() == Some(Ending::Unknown) && failed.at.plus(UNKNOWN_SHOWN_AFTER) > now;
        !is_over
            && !is_fresh
            && self.is_chat.is_none_or(|wanted| wanted == is_chat)
            && self.number.as_ref().is_none_or(|wanted| wanted.as_str() == failed.number)
            && self.app.as_ref().is_none_or(|wanted| failed.app_id.as_ref() == Some(wanted))
            && self.code.as_ref().is_none_or(|wanted| failed.code.as_ref() == Some(wanted))
    }
}

impl<M: MessageKind> Stored<M> {
    /// Returns the message's entry in the list of failures, if it reached nobody.
    fn failure(&self) -> Option<FailedMessage> {
        let (ending, at) = match self.outcome() {
            Some(Outcome::Refused) => (Ending::Refused, self.failed_at()?),
            Some(Outcome::Expired) => (Ending::Expired, self.failed_at()?),
            Some(Outcome::Unknown) => (Ending::Unknown, self.unknown_since()),
            Some(Outcome::Pending) => return None,
            Some(Outcome::Accepted) | None => (Ending::Failed, self.failed_at().filter(|_| !self.has_reached())?),
        };
        Some(FailedMessage {
            message_id: self.id().clone().into(),
            number: self.number().to_string(),
            app_id: self.app().cloned(),
            ending: ending.into(),
            code: self.error_code().filter(|_| ending != Ending::Unknown).map(str::to_owned),
            at,
            ttl: self.ends_at.map(Timestamp::seconds),
        })
    }

    fn unknown_since(&self) -> Timestamp {
        let step = self.kept.steps.iter().rev().find_map(|step| match step {
            Step::Unknown { at } => Some(at.0),
            _ => None,
        });
        step.or(self.kept.attempted_at).unwrap_or_else(|| self.created_at())
    }
}

impl Change {
    /// Enters a message that reached nobody into the list of failures, or takes it out.
    pub(super) fn list_failure<M: MessageKind>(
        &mut self,
        before: Option<&Stored<M>>,
        after: &Stored<M>,
    ) -> Result<(), Failure> {
        let (known, failure) = (before.and_then(Stored::failure), after.failure());
        let key = keys::failed_message(&self.organization, &after.id().clone().into());
        match failure {
            failure if failure == known => {}
            Some(failure) => self.put(NewItem::new(&key, &failure)?),
            None => self.delete_any(key),
        }
        Ok(())
    }
}

impl OrganizationStore {
    /// Returns a page of the messages that reached nobody, newest first. A page can be short although more follow: at most 200
    /// are looked at. Messages that have ended are hidden.
    pub async fn failed_messages(
        &self,
        modes: &[Mode],
        filter: &FailureFilter,
        request: &PageRequest,
        now: Timestamp,
    ) -> Result<Page<FailedMessage>, Failure> {
        let of_mode = |mode: &Mode| {
            let mode = *mode;
            (0..keys::FAILURE_PARTITIONS).map(move |n| keys::failed_messages(&self.organization, mode, n))
        };
        let span = Span { from: filter.since.map(first_ksuid_at), until: filter.until.map(first_ksuid_at) };
        let most = Most { items: MESSAGES_LOOKED_AT, bytes: MESSAGES_LOOKED_AT * LARGEST, of_one: LARGEST };
        let log = Log::new(modes.iter().flat_map(of_mode), span, most, FailedMessage::place);
        log.page(&self.table, request, |failed| filter.matches(failed, now)).await
    }
}
