//! What needs somebody's attention: a state of an object in which messages or events fail, or soon will. Each need follows from
//! the state of its object alone, so that whatever changes the object changes the list of needs in the same transaction.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::audit::TargetKind;
use crate::identity::scope::Scope;
use crate::{Mode, Timestamp};

/// How long before its end a key is in the list.
pub const ENDS_SOON: Duration = Duration::from_secs(14 * 24 * 3600);
/// How long a number may take to be released before it is in the list.
pub const RELEASE_TAKES: Duration = Duration::from_secs(3600);
/// How long after the last refusal the spend limit is in the list.
pub const SPEND_LIMIT_SHOWN: Duration = Duration::from_secs(24 * 3600);
/// From which part of a limit on objects is in the list, in percent.
pub const NEARLY_USED: i64 = 80;

/// How urgent something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = AttentionSeverity)]
pub enum Severity {
    /// Messages or events fail until somebody acts.
    Critical,
    /// Something works with limits, or will fail.
    Warning,
    Info,
}

/// What needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = AttentionKind)]
pub enum NeedKind {
    /// The webhook was disabled because its receiver kept failing.
    WebhookDisabled,
    /// The daily check of the WhatsApp account found that messages fail or are not received.
    ProfileFailed,
    /// The carrier refuses messages, because the installation has reached its spend limit of the month.
    SpendLimitReached,
    /// The receiver of the webhook fails, so its deliveries wait.
    WebhookFailing,
    /// The daily check of the WhatsApp account found limits or problems to come.
    ProfileLimited,
    /// Users complain about the messages of the number.
    NumberQualityLow,
    /// WhatsApp has paused the template.
    TemplatePaused,
    /// WhatsApp has rejected the template.
    TemplateRejected,
    /// The key ends within 14 days, or has ended.
    KeyEnds,
    /// More than 80 % of a limit on objects are used.
    QuotaNearlyUsed,
    /// The number has been releasing for over an hour.
    NumberReleasing,
}

impl NeedKind {
    pub const ALL: [NeedKind; 11] = [
        NeedKind::WebhookDisabled,
        NeedKind::ProfileFailed,
        NeedKind::SpendLimitReached,
        NeedKind::WebhookFailing,
        NeedKind::ProfileLimited,
        NeedKind::NumberQualityLow,
        NeedKind::TemplatePaused,
        NeedKind::TemplateRejected,
        NeedKind::KeyEnds,
        NeedKind::QuotaNearlyUsed,
        NeedKind::NumberReleasing,
    ];

    /// What a webhook can need.
    pub const OF_WEBHOOKS: [NeedKind; 2] = [NeedKind::WebhookDisabled, NeedKind::WebhookFailing];

    pub fn severity(self) -> Severity {
        match self {
            NeedKind::WebhookDisabled | NeedKind::ProfileFailed | NeedKind::SpendLimitReached => Severity::Critical,
            NeedKind::NumberReleasing => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// Returns the name, by which the needs are sorted within a severity.
    pub fn as_str(self) -> &'static str {
        match self {
            NeedKind::WebhookDisabled => "WEBHOOK_DISABLED",
            NeedKind::ProfileFailed => "PROFILE_FAILED",
            NeedKind::SpendLimitReached => "SPEND_LIMIT_REACHED",
            NeedKind::WebhookFailing => "WEBHOOK_FAILING",
            NeedKind::ProfileLimited => "PROFILE_LIMITED",
            NeedKind::NumberQualityLow => "NUMBER_QUALITY_LOW",
            NeedKind::TemplatePaused => "TEMPLATE_PAUSED",
            NeedKind::TemplateRejected => "TEMPLATE_REJECTED",
            NeedKind::KeyEnds => "KEY_ENDS",
            NeedKind::QuotaNearlyUsed => "QUOTA_NEARLY_USED",
            NeedKind::NumberReleasing => "NUMBER_RELEASING",
        }
    }

    /// Returns the scope that a caller needs to see it.
    pub fn scope(self) -> Scope {
        match self {
            NeedKind::WebhookDisabled | NeedKind::WebhookFailing => Scope::WebhooksRead,
            NeedKind::ProfileFailed | NeedKind::ProfileLimited => Scope::AccountsRead,
            NeedKind::NumberQualityLow | NeedKind::NumberReleasing => Scope::NumbersRead,
            NeedKind::TemplatePaused | NeedKind::TemplateRejected => Scope::TemplatesRead,
            NeedKind::KeyEnds => Scope::KeysRead,
            NeedKind::SpendLimitReached | NeedKind::QuotaNearlyUsed => Scope::SettingsRead,
        }
    }

    /// Returns what to do about it.
    pub fn remedy(self) -> &'static str {
        match self {
            NeedKind::WebhookDisabled => {
                "Repair the receiver, update the webhook, which enables it, and recover the deliveries: POST …/webhooks/{webhookId}/recover."
            }
            NeedKind::ProfileFailed | NeedKind::ProfileLimited => {
                "GET /v1/organization/chat/platform-check says what to do about each problem."
            }
            NeedKind::SpendLimitReached => {
                "Ask the operator of the installation to raise the spend limit of AWS End User Messaging SMS. Refused messages are not sent again."
            }
            NeedKind::WebhookFailing => {
                "Repair the receiver. Deliveries are repeated, and one a minute tries whether it works again."
            }
            NeedKind::NumberQualityLow => {
                "Send only what users expect from you. WhatsApp lowers the limit of a number whose quality stays low."
            }
            NeedKind::TemplatePaused => {
                "Improve the template, or use another one. WhatsApp resumes it after some hours, and disables it the third time."
            }
            NeedKind::TemplateRejected => {
                "Correct the template and submit it again: PATCH /v1/organization/chat/templates/{templateId}."
            }
            NeedKind::KeyEnds => "Rotate the key, or give it a later expiresAt.",
            NeedKind::QuotaNearlyUsed => "Delete what is no longer needed. Limits of this kind cannot be raised.",
            NeedKind::NumberReleasing => {
                "Ask the operator of the installation: the carrier has not released the number yet."
            }
        }
    }
}

/// Something that needs attention.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    pub kind: NeedKind,
    pub target_kind: TargetKind,
    /// The id of the object.
    pub target: String,
    pub mode: Mode,
    /// Since when; unknown for limits.
    pub since: Option<Timestamp>,
    /// What exactly, for people.
    pub message: String,
    /// What of the object it is about, if it can need the same for several reasons.
    pub part: Option<String>,
    /// It is not shown before.
    pub shown_from: Option<Timestamp>,
    /// It is over then, even if nothing changes the object.
    pub ends_at: Option<Timestamp>,
}

impl Need {
    pub fn new(
        kind: NeedKind,
        target: (TargetKind, &str),
        mode: Mode,
        since: Timestamp,
        message: impl Into<String>,
    ) -> Self {
        let (target_kind, id) = target;
        Need {
            kind,
            target_kind,
            target: id.to_owned(),
            mode,
            since: Some(since),
            message: message.into(),
            part: None,
            shown_from: None,
            ends_at: None,
        }
    }

    pub fn is_shown(&self, now: Timestamp) -> bool {
        self.shown_from.is_none_or(|from| from <= now) && self.ends_at.is_none_or(|end| end > now)
    }

    /// Returns the place in the list: the most severe first.
    pub fn place(&self) -> String {
        place(self.kind, self.part.as_ref().unwrap_or(&self.target))
    }
}

/// Returns the place of a need in the list.
pub fn place(kind: NeedKind, target: &str) -> String {
    format!("{}-{}-{target}", kind.severity() as u8, kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_severe_come_first() {
        let mut places: Vec<_> = NeedKind::ALL.iter().map(|kind| (place(*kind, "id"), kind.severity())).collect();
        places.sort();
        assert!(places.is_sorted_by_key(|(_, severity)| *severity), "{places:?}");
        for kind in NeedKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a name"), kind.as_str());
        }
    }

    #[test]
    fn a_need_is_shown_in_its_time() {
        let at = Timestamp::from_millis;
        let need = Need::new(NeedKind::KeyEnds, (TargetKind::AppKey, "key"), Mode::Live, at(0), "");
        assert!(need.is_shown(at(0)));
        let need = Need { shown_from: Some(at(10)), ends_at: Some(at(20)), ..need };
        assert_eq!([9, 10, 19, 20].map(|now| need.is_shown(at(now))), [false, true, true, false]);
    }
}
