//! The target of a simulation: the test object that the caller names, or the app's own number.

use api::Tester;
use domain::chat::{ChatPhoneNumber, Direction, PLATFORM_ID_DIGITS};
use domain::id::{ChatBusinessProfileId, ChatGroupId, ChatMessageId, ChatPhoneNumberId, Identifier as _};
use domain::{E164, Failure, Mode, Timestamp};
use store::{ContactName, OrganizationStore, PageRequest};

use crate::numbers;
use crate::scenarios::{Scenario, Stage, Subject, TargetKind};

const TARGET: &str = "target";
/// The highest number of phone numbers that are searched for the template or contact of an admin key.
const NUMBERS: usize = 100;

/// The target of a simulation, as the caller names it.
pub(crate) enum Target {
    /// The number on which the scenario is played.
    Number(ChatPhoneNumberId),
    Account(ChatBusinessProfileId),
    Template(String),
    Contact(E164),
    Group(ChatGroupId),
    Message(ChatMessageId),
}

impl Target {
    pub(crate) fn parse(text: &str, scenario: Scenario) -> Result<Self, Failure> {
        let kind = scenario.target();
        if text.starts_with(ChatPhoneNumberId::PREFIX) && kind != TargetKind::Group {
            return ChatPhoneNumberId::in_param(text, TARGET).map(Target::Number);
        }
        match kind {
            TargetKind::Number => ChatPhoneNumberId::in_param(text, TARGET).map(Target::Number),
            TargetKind::Account => ChatBusinessProfileId::in_param(text, TARGET).map(Target::Account),
            TargetKind::Contact => E164::in_field(text, TARGET).map(Target::Contact),
            TargetKind::Group => ChatGroupId::in_param(text, TARGET).map(Target::Group),
            TargetKind::Message => ChatMessageId::in_param(text, TARGET).map(Target::Message),
            TargetKind::Template => {
                if (1..=PLATFORM_ID_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Ok(Target::Template(text.to_owned()));
                }
                let message = format!(
                    "target must be the id of a template, which consists of 1 to {PLATFORM_ID_DIGITS} digits, or \
                     the id of a WhatsApp number, for whose account a template is created."
                );
                Err(Failure::invalid(TARGET, message))
            }
        }
    }
}

/// Finds the test objects of a caller. Live objects, and those of other organizations or apps, count as missing.
pub(super) struct Finder<'a> {
    pub(super) caller: &'a Tester,
    pub(super) store: &'a OrganizationStore,
    pub(super) now: Timestamp,
}

fn missing(what: &str) -> Failure {
    Failure::not_found(TARGET, what)
}

impl Finder<'_> {
    /// Returns the target, and the number on which the scenario is played.
    pub(super) async fn stage(&self, scenario: Scenario, target: Option<&Target>) -> Result<Stage, Failure> {
        let (number, subject) = match target {
            None => (self.own_number().await?, Subject::Number),
            Some(Target::Number(id)) => {
                (self.usable(id).await?.ok_or_else(|| missing("chat phone number"))?, Subject::Number)
            }
            Some(Target::Account(id)) => (self.number_of_account(id).await?, Subject::Number),
            Some(Target::Template(id)) => self.template(id).await?,
            Some(Target::Contact(number)) => self.contact(number).await?,
            Some(Target::Group(id)) => self.group(id).await?,
            Some(Target::Message(id)) => self.message(id).await?,
        };
        if scenario.target() == TargetKind::Group && !matches!(subject, Subject::Group(_)) {
            return Err(Failure::missing(TARGET));
        }
        if scenario.target() != TargetKind::Account {
            return Ok(Stage { number, subject });
        }
        let profile = self.store.chat_business_profile(&number.business_profile.id).await?;
        let profile = profile.ok_or_else(|| missing("business profile"))?;
        Ok(Stage { number, subject: Subject::Account(Box::new(profile)) })
    }

    fn may_use(&self, number: &ChatPhoneNumber) -> bool {
        let is_reported = number.released_at.is_none();
        number.id.mode().is_test() && is_reported && self.caller.app().is_none_or(|app| number.is_assigned_to(app))
    }

    /// Returns the number that was created with the app.
    async fn own_number(&self) -> Result<ChatPhoneNumber, Failure> {
        match self.caller {
            Tester::App(app) => numbers::receiver(self.store, app, None).await,
            Tester::Admin(_) => Err(Failure::missing(TARGET)),
        }
    }

    async fn usable(&self, id: &ChatPhoneNumberId) -> Result<Option<ChatPhoneNumber>, Failure> {
        Ok(self.store.chat_phone_number(id).await?.filter(|number| self.may_use(number)))
    }

    async fn number_of_account(&self, id: &ChatBusinessProfileId) -> Result<ChatPhoneNumber, Failure> {
        let numbers = self.store.whole_numbers_of_profile(id).await?;
        numbers.into_iter().find(|number| self.may_use(number)).ok_or_else(|| missing("business profile"))
    }

    /// Returns the numbers that the caller may use.
    async fn numbers(&self) -> Result<Vec<ChatPhoneNumber>, Failure> {
        match self.caller.app() {
            Some(app) => self.store.chat_phone_numbers_of_app(app).await,
            None => {
                let page = PageRequest { limit: NUMBERS, before: None };
                Ok(self.store.chat_phone_numbers(&[Mode::Test], &page).await?.items)
            }
        }
    }

    async fn template(&self, id: &str) -> Result<(ChatPhoneNumber, Subject), Failure> {
        let mut seen = Vec::new();
        for number in self.numbers().await? {
            let profile = number.business_profile.id.clone();
            if seen.contains(&profile) {
                continue;
            }
            if let Some(stored) = self.store.template(&profile, id).await? {
                return Ok((number, Subject::Template(Box::new(stored.template))));
            }
            seen.push(profile);
        }
        Err(missing("template"))
    }

    async fn contact(&self, wanted: &E164) -> Result<(ChatPhoneNumber, Subject), Failure> {
        for number in self.numbers().await? {
            let identities = [wanted.digits().to_owned()];
            let named = self.store.contact_names(&number.id, &identities).await?.into_iter().next().flatten();
            let known = match named {
                None => None,
                Some(ContactName::Record(known)) => Some(*known),
                Some(ContactName::SameAs(other)) => self.store.contact(&number.id, &other).await?,
            };
            if let Some(known) = known.filter(|known| known.removed_at.is_none()) {
                return Ok((number, Subject::Contact { number: wanted.clone(), name: known.contact.name }));
            }
        }
        Err(missing("contact"))
    }

    async fn group(&self, id: &ChatGroupId) -> Result<(ChatPhoneNumber, Subject), Failure> {
        let group = self.store.group(id).await?.filter(|group| group.provider_group_id.is_some());
        let group = group.ok_or_else(|| missing("group"))?;
        let number = self.usable(&group.chat_phone_number_id).await?.ok_or_else(|| missing("group"))?;
        Ok((number, Subject::Group(Box::new(group))))
    }

    async fn message(&self, id: &ChatMessageId) -> Result<(ChatPhoneNumber, Subject), Failure> {
        let not_found = || missing("sent message");
        let message = self.store.unended_message(id, self.now).await?.ok_or_else(not_found)?.record.into_message();
        let number = self.usable(&message.chat_phone_number_id).await?.ok_or_else(not_found)?;
        let is_shown = self.caller.app().is_none_or(|app| number.shows(app, &message));
        if !is_shown || message.direction != Direction::Outbound {
            return Err(not_found());
        }
        let platform_id = message.provider_message_id.ok_or_else(not_found)?;
        let recipient = message.to_phone_number.map(|to| to.digits().to_owned()).or(message.to_user_id);
        Ok((number, Subject::Message { platform_id, recipient: recipient.ok_or_else(not_found)? }))
    }
}
