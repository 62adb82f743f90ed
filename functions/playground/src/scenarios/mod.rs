//! The scenarios: events at the platform that are not caused by requests of the app.

mod courses;
pub(crate) mod http;
mod plan;
mod stage;

use std::borrow::Cow;

use domain::events::event::EventName::{self, *};
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

pub(crate) use plan::{Plan, plan};
pub(crate) use stage::{Fresh, Stage, Subject};

/// The kind of object that a scenario applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = PlaygroundScenarioTarget)]
pub(crate) enum TargetKind {
    /// A WhatsApp account (business profile), named by its id or by the id of one of its numbers.
    Account,
    Number,
    Template,
    Contact,
    Group,
    Message,
}

macro_rules! scenarios {
    ($($variant:ident $name:literal $target:ident [$($event:ident),*] $description:literal;)+) => {
        /// A scenario.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        pub(crate) enum Scenario {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl Scenario {
            pub(crate) const ALL: &'static [Scenario] = &[$(Scenario::$variant),+];

            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Scenario::$variant => $name,)+ }
            }

            pub(crate) fn target(self) -> TargetKind {
                match self { $(Scenario::$variant => TargetKind::$target,)+ }
            }

            /// Returns the events that it causes, including those about the objects that it creates without a target.
            pub(crate) fn events(self) -> &'static [EventName] {
                match self { $(Scenario::$variant => &[$($event),*],)+ }
            }

            pub(crate) fn description(self) -> &'static str {
                match self { $(Scenario::$variant => $description,)+ }
            }
        }
    };
}

scenarios! {
    AccountReviewed "account_reviewed" Account []
        "The account's review gets each decision, one second apart: pending, deferred, rejected, and finally approved.";
    AccountRejected "account_rejected" Account []
        "The account's review ends with a rejection.";
    AccountDisconnected "account_disconnected" Account [ChatAccountDisconnected]
        "The business removes this installation from its account. A disconnected account is reconnected first.";
    AccountReconnected "account_reconnected" Account [ChatAccountConnected]
        "The business connects its account again. A connected account is disconnected first.";
    AccountRestricted "account_restricted" Account []
        "WhatsApp reports that the account may not start conversations for a day. `GET /v1/organization/chat/platform-check` shows it until then, for live accounts too; no other response does.";
    NumberQualityChanged "number_quality_changed" Number []
        "The quality of the number is flagged; if it was flagged before, it is unflagged.";
    NumberNameDecided "number_name_decided" Number []
        "The name of the number is rejected, and approved a second later.";
    TemplateApproved "template_approved" Template [TemplatesChatCreated, TemplatesChatConnected]
        "The template is approved. An approved template becomes pending first.";
    TemplateRejected "template_rejected" Template [TemplatesChatCreated, TemplatesChatUpdated]
        "The template is rejected because of its format. A rejected template becomes pending first.";
    TemplatePaused "template_paused" Template [TemplatesChatCreated, TemplatesChatConnected, TemplatesChatUpdated]
        "The template is paused because users have complained about it. A paused template is approved first.";
    TemplateDeleted "template_deleted" Template [TemplatesChatCreated, TemplatesChatDeleted]
        "The template is deleted at WhatsApp.";
    TemplateCategoryChanged "template_category_changed" Template [TemplatesChatCreated, TemplatesChatUpdated]
        "WhatsApp moves the template to another category: marketing to utility, any other to marketing.";
    ContactRenamed "contact_renamed" Contact [ContactsChatCreated, ContactsChatUpdated]
        "The business renames the contact in its WhatsApp Business app.";
    ContactRemoved "contact_removed" Contact [ContactsChatCreated, ContactsChatDeleted]
        "The business removes the contact in its WhatsApp Business app.";
    ContactNumberChanged "contact_number_changed" Contact [ContactsChatCreated, ContactsChatUpdated, MessagesChatReceived]
        "The contact has a new phone number, which a system message reports.";
    GroupJoined "group_joined" Group []
        "A user joins the group.";
    GroupLeft "group_left" Group []
        "A user leaves the group. If the group is empty, a user joins it first.";
    GroupSuspended "group_suspended" Group []
        "WhatsApp suspends the group. A suspended group becomes active first.";
    MessageDelivered "message_delivered" Message [MessagesChatSent, MessagesChatDelivered]
        "The message is delivered.";
    MessageRead "message_read" Message [MessagesChatSent, MessagesChatDelivered, MessagesChatRead]
        "The message is delivered and read.";
    MessageFailed "message_failed" Message [MessagesChatSent, MessagesChatFailed]
        "The message fails with WhatsApp's code 131026, because the recipient cannot be reached.";
    WindowClosed "window_closed" Number [MessagesChatReceived, ContactsChatCreated]
        "A new user wrote once, 25 hours ago. Any message to them other than a template is rejected with WhatsApp's code 131047.";
}

// Written by hand, because the derive cannot read names that a macro supplies.
impl PartialSchema for Scenario {
    fn schema() -> RefOr<Schema> {
        let names = Scenario::ALL.iter().map(|scenario| scenario.as_str());
        let names = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names));
        names.description(Some("The name of a scenario.")).into()
    }
}

impl ToSchema for Scenario {
    fn name() -> Cow<'static, str> {
        "PlaygroundScenarioName".into()
    }
}

impl Scenario {
    /// Returns the scenario with this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Scenario::ALL.iter().copied().find(|scenario| scenario.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_has_one_name_everywhere() {
        for scenario in Scenario::ALL {
            assert_eq!(serde_json::to_value(scenario).expect("a value"), scenario.as_str());
            assert_eq!(Scenario::of(scenario.as_str()), Some(*scenario));
        }
        assert_eq!(Scenario::of("earthquake"), None);
    }
}
