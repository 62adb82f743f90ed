//! The inputs of a plan: the number, the object that the scenario is about, and the object that it creates if there is
//! none; and the planned steps.

use std::time::Duration;

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Group, Template};
use domain::events::event::EventName;
use domain::port::{Random, random_bytes};
use domain::testing::playground::fictional_number;
use domain::{E164, Timestamp};
use inbound::{PlannedStep, SimulatedReport, TemplateRef};

/// The interval between steps. The platform's times are whole seconds.
const SECOND: Duration = Duration::from_secs(1);

/// The number on which a scenario is played, and the object that it is about.
pub(crate) struct Stage {
    pub(crate) number: ChatPhoneNumber,
    pub(crate) subject: Subject,
}

/// The object that a scenario is about, in its state before the scenario.
pub(crate) enum Subject {
    /// The number itself, or an object that the scenario creates first.
    Number,
    Account(Box<ChatBusinessProfile>),
    Template(Box<Template>),
    Contact {
        number: E164,
        name: Option<String>,
    },
    Group(Box<Group>),
    /// A sent message, by the platform's id, and its recipient as the platform names them.
    Message {
        platform_id: String,
        recipient: String,
    },
}

/// The objects that a scenario creates if it has no target.
pub(crate) struct Fresh {
    /// A user that does not exist yet.
    pub(crate) user: E164,
    pub(super) other: E164,
    /// Distinguishes the objects of this simulation from those of others.
    mark: u64,
}

impl Fresh {
    pub(crate) fn new(random: &dyn Random) -> Self {
        let user = fictional_number(random);
        let other = (0..).map(|_| fictional_number(random)).find(|other| *other != user);
        let mark = random_bytes::<6>(random).iter().fold(0_u64, |mark, byte| (mark << 8) | u64::from(*byte));
        Fresh { other: other.unwrap_or_else(|| user.clone()), user, mark }
    }

    pub(super) fn template(&self) -> TemplateRef {
        let (name, language) = (format!("simulated_{:015}", self.mark), "en_US".to_owned());
        let category = Some("MARKETING".to_owned());
        TemplateRef { id: format!("9{:015}", self.mark), name: Some(name), language: Some(language), category }
    }

    pub(super) fn message_id(&self) -> String {
        format!("wamid.simulated.{:015}", self.mark)
    }
}

/// Collects the steps of a plan, one per second.
pub(super) struct Steps {
    pub(super) next_at: Timestamp,
    pub(super) steps: Vec<PlannedStep>,
}

impl Steps {
    pub(super) fn add(
        &mut self,
        event: impl Into<Option<EventName>>,
        report: impl FnOnce(Timestamp) -> SimulatedReport,
    ) {
        self.steps.push(PlannedStep { at: self.next_at, report: report(self.next_at), event: event.into() });
        self.next_at = self.next_at.plus(SECOND);
    }
}
