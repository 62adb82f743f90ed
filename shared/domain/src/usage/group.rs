//! What usage can be grouped by. Each combination of values has counters of its own.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Separates the values of a group. No value contains it.
const SEPARATOR: char = '#';
/// The longest value that a provider supplies, such as a pricing category, in characters.
const LONGEST_VALUE: usize = 40;
/// Stands for a value of a provider that is too long or has other characters.
const OTHER: &str = "other";

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UsageKind {
    /// Messages that were sent or received.
    Messages,
    /// Deliveries of events to webhooks.
    Deliveries,
}

/// Something that usage can be grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = UsageDimension)]
pub enum Dimension {
    App,
    Number,
    Channel,
    Direction,
    Category,
    Country,
    Code,
    Webhook,
    Event,
}

impl Dimension {
    pub const ALL: [Dimension; 9] = [
        Dimension::App,
        Dimension::Number,
        Dimension::Channel,
        Dimension::Direction,
        Dimension::Category,
        Dimension::Country,
        Dimension::Code,
        Dimension::Webhook,
        Dimension::Event,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Dimension::App => "app",
            Dimension::Number => "number",
            Dimension::Channel => "channel",
            Dimension::Direction => "direction",
            Dimension::Category => "category",
            Dimension::Country => "country",
            Dimension::Code => "code",
            Dimension::Webhook => "webhook",
            Dimension::Event => "event",
        }
    }
}

impl UsageKind {
    pub const ALL: [UsageKind; 2] = [UsageKind::Messages, UsageKind::Deliveries];

    pub fn as_str(self) -> &'static str {
        match self {
            UsageKind::Messages => "messages",
            UsageKind::Deliveries => "deliveries",
        }
    }

    /// Returns what is distinguished, in the order of the values in a group.
    pub fn dimensions(self) -> &'static [Dimension] {
        use Dimension::{App, Category, Channel, Code, Country, Direction, Event, Number, Webhook};
        match self {
            UsageKind::Messages => &[App, Number, Channel, Direction, Category, Country, Code],
            UsageKind::Deliveries => &[App, Webhook, Event],
        }
    }
}

/// The values of all dimensions of a kind, in their order; empty where there is none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group(String);

impl Group {
    /// Returns the group with these values, in the order of the kind's dimensions.
    pub fn of(values: &[Option<&str>]) -> Self {
        let safe = values.iter().map(|value| value.map_or("", safe)).collect::<Vec<_>>();
        Group(safe.join(&SEPARATOR.to_string()))
    }

    /// Returns the group that `as_str` has returned.
    pub fn parse(text: &str) -> Self {
        Group(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the value of a dimension; `None` if there is none.
    pub fn value(&self, kind: UsageKind, dimension: Dimension) -> Option<&str> {
        let place = kind.dimensions().iter().position(|known| *known == dimension)?;
        self.0.split(SEPARATOR).nth(place).filter(|value| !value.is_empty())
    }
}

/// Returns a value, or what stands for one that could be mistaken for several.
fn safe(value: &str) -> &str {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if value.len() <= LONGEST_VALUE && value.bytes().all(is_safe) { value } else { OTHER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_a_value_for_each_dimension() {
        let values = [Some("app_1"), Some("ph_1"), Some("sms"), Some("OUTBOUND"), None, Some("US"), None];
        let group = Group::of(&values);
        assert_eq!(group.as_str(), "app_1#ph_1#sms#OUTBOUND##US#");
        for (dimension, value) in UsageKind::Messages.dimensions().iter().zip(values) {
            assert_eq!(group.value(UsageKind::Messages, *dimension), value);
        }
        assert_eq!(group.value(UsageKind::Messages, Dimension::Webhook), None);
    }

    #[test]
    fn values_of_a_provider_cannot_be_mistaken() {
        for value in ["a#b", "a b", &"x".repeat(41), "é"] {
            assert_eq!(Group::of(&[Some(value)]).as_str(), OTHER, "{value}");
        }
        assert_eq!(Group::of(&[Some("messages.chat.sent")]).as_str(), "messages.chat.sent");
    }
}
