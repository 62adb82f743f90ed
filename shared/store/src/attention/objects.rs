//! What the state of an object needs. Everything here is decided by that state alone.

use domain::Mode;
use domain::attention::{ENDS_SOON, Need, NeedKind, RELEASE_TAKES};
use domain::audit::TargetKind;
use domain::chat::health::CheckStatus;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Template};
use domain::events::webhook::Webhook;
use domain::id::Identifier as _;
use domain::identity::key::{AdminKey, AppKey, KeyState};
use domain::number::PhoneNumber;
use domain::sms::carrier_link::LinkState;

/// An object that can need attention.
pub(crate) trait Needing {
    fn needs(&self) -> Vec<Need>;
}

impl Needing for Webhook {
    fn needs(&self) -> Vec<Need> {
        let disabled = self.disabled_at.map(|since| {
            let why = self.disabled_reason.as_deref().unwrap_or("The webhook is disabled.");
            let target = (TargetKind::Webhook, self.id.as_str());
            Need::new(NeedKind::WebhookDisabled, target, self.app_id.mode(), since, why)
        });
        disabled.into_iter().collect()
    }
}

impl Needing for ChatBusinessProfile {
    fn needs(&self) -> Vec<Need> {
        let need = |kind, since, message: String| {
            vec![Need::new(kind, (TargetKind::ChatBusinessProfile, self.id.as_str()), self.mode, since, message)]
        };
        if self.is_given_up() {
            return Vec::new();
        }
        if let Some(at) = self.disconnected_at {
            // By WhatsApp or by the business itself. The daily check leaves such accounts out.
            return need(NeedKind::ProfileFailed, at, "The account is disconnected from this platform app.".to_owned());
        }
        let Some(health) = &self.health else { return Vec::new() };
        let kind = match health.status.known() {
            Some(CheckStatus::Ok) => return Vec::new(),
            Some(CheckStatus::Failed) => NeedKind::ProfileFailed,
            Some(CheckStatus::Warning) | None => NeedKind::ProfileLimited,
        };
        let worst = health.problems.first().map_or("", |problem| &problem.message);
        let message = match health.problems.len().saturating_sub(1) {
            0 => worst.to_owned(),
            1 => format!("{worst} There is one more problem."),
            more => format!("{worst} There are {more} more problems."),
        };
        need(kind, health.checked_at, message)
    }
}

impl Needing for ChatPhoneNumber {
    fn needs(&self) -> Vec<Need> {
        let is_red = self.quality_event.is_none() && self.quality_rating.as_deref() == Some("RED");
        let since = self.flagged_at.or(is_red.then_some(self.updated_at)).filter(|_| self.released_at.is_none());
        let Some(since) = since else { return Vec::new() };
        let message =
            format!("WhatsApp rates the quality of {} as low: users block or report it.", self.display_phone_number);
        let target = (TargetKind::ChatPhoneNumber, self.id.as_str());
        vec![Need::new(NeedKind::NumberQualityLow, target, self.id.mode(), since, message)]
    }
}

impl Needing for Template {
    fn needs(&self) -> Vec<Need> {
        let Some(kind) = self.need() else { return Vec::new() };
        let name = self.name.as_deref().unwrap_or(&self.id);
        let message = match (kind, self.rejected_reason.as_deref()) {
            (NeedKind::TemplateRejected, Some(reason)) => {
                format!("WhatsApp has rejected the template {name}: {reason}.")
            }
            (NeedKind::TemplateRejected, None) => format!("WhatsApp has rejected the template {name}."),
            _ => format!("WhatsApp has paused the template {name}."),
        };
        let target = (TargetKind::Template, self.id.as_str());
        vec![Need::new(kind, target, self.chat_business_profile_id.mode(), self.updated_at, message)]
    }
}

impl Needing for AdminKey {
    fn needs(&self) -> Vec<Need> {
        let target = (TargetKind::AdminKey, self.id.as_str());
        key(&self.state, target, self.id.mode(), &self.name).into_iter().collect()
    }
}

impl Needing for AppKey {
    fn needs(&self) -> Vec<Need> {
        let target = (TargetKind::AppKey, self.id.as_str());
        key(&self.state, target, self.app_id.mode(), self.name.as_deref().unwrap_or("An app key")).into_iter().collect()
    }
}

/// Returns the need of a key that ends, which is shown from two weeks before its end until two weeks after it. Keys that are made for
/// less than two weeks, such as those of sessions, end as they should.
fn key(state: &KeyState, target: (TargetKind, &str), mode: Mode, name: &str) -> Option<Need> {
    let end = state.expires_at?;
    let from = end.minus(ENDS_SOON);
    if from <= state.created_at {
        return None;
    }
    let message = format!("{name} (…{}) ends at {end}.", state.last_four);
    let need = Need::new(NeedKind::KeyEnds, target, mode, from, message);
    Some(Need { shown_from: Some(from), ends_at: Some(end.plus(ENDS_SOON)), ..need })
}

impl Needing for PhoneNumber {
    fn needs(&self) -> Vec<Need> {
        let is_releasing = self.carrier.as_ref().is_some_and(|link| link.state == LinkState::Releasing);
        let since = self.line_reset_at.unwrap_or(self.updated_at);
        let message = format!("{} is being released from the carrier.", self.number);
        let target = (TargetKind::PhoneNumber, self.id.as_str());
        let need = Need::new(NeedKind::NumberReleasing, target, self.id.mode(), since, message);
        let need = Need { shown_from: Some(since.plus(RELEASE_TAKES)), ..need };
        is_releasing.then_some(need).into_iter().collect()
    }
}
