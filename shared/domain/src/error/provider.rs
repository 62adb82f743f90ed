//! The provider's part of an error (docs/specification.md, "Errors"). The types enforce which fields of a health entity
//! are required: a blocked entity has `errors`, a limited one has `additional_info`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The number of characters of a provider's message that are passed on.
pub const LONGEST_MESSAGE: usize = 500;

/// Details of an error that originates at a provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ErrorProvider)]
pub struct Provider {
    pub source: ProviderSource,
    pub code: ProviderCode,
    /// The provider's own description of the error.
    pub message: String,
    /// Meta's id of the failed request (`fbtrace_id`), for support requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform_trace_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_status: Option<HealthStatus>,
    /// The HTTP status of the provider's response, for the log; never shown.
    #[serde(skip)]
    #[schema(ignore)]
    pub http_status: Option<u16>,
}

impl Provider {
    pub fn platform(code: i64, message: &str, trace_id: Option<String>) -> Self {
        Provider {
            source: ProviderSource::Platform,
            code: ProviderCode::Number(code),
            message: shown(message),
            platform_trace_id: trace_id.map(|id| shown(&id)),
            health_status: None,
            http_status: None,
        }
    }

    /// Returns details of an error of the carrier. `code` is its exception, with the reason if it has one.
    pub fn carrier(code: &str, message: &str) -> Self {
        Provider {
            source: ProviderSource::Carrier,
            code: ProviderCode::Text(shown(code)),
            message: shown(message),
            platform_trace_id: None,
            health_status: None,
            http_status: None,
        }
    }

    /// Returns the code of the platform, whose codes are numbers; 0 for other providers.
    pub fn number(&self) -> i64 {
        match &self.code {
            ProviderCode::Number(number) => *number,
            ProviderCode::Text(_) => 0,
        }
    }

    /// Sets the HTTP status of the provider's response.
    #[must_use]
    pub fn with_http_status(self, status: u16) -> Self {
        Provider { http_status: Some(status), ..self }
    }
}

/// The provider's own code. WhatsApp's codes are numbers, such as 131026. The carrier's codes are an exception with its
/// reason, such as `ConflictException: DESTINATION_PHONE_NUMBER_OPTED_OUT`, or the result in a receipt, such as
/// `CARRIER_UNREACHABLE`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = ErrorProviderCode)]
pub enum ProviderCode {
    Number(i64),
    Text(String),
}

impl std::fmt::Display for ProviderCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProviderCode::Number(number) => number.fmt(f),
            ProviderCode::Text(text) => f.write_str(text),
        }
    }
}

/// Returns a provider's text without control characters, cut to the length that is passed on.
pub fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_MESSAGE).collect()
}

/// The provider at which an error originated: `platform` is WhatsApp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ErrorProviderSource)]
pub enum ProviderSource {
    Platform,
    Carrier,
    Rtc,
}

/// Whether messages can be sent, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = MessagingAvailability)]
pub enum Availability {
    Available,
    Limited,
    Blocked,
}

/// Whether messages can be sent through WhatsApp, and which entities prevent or limit it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ProviderHealthStatus)]
pub struct HealthStatus {
    pub can_send_message: Availability,
    /// The entities that take part in sending, each with its own status.
    pub entities: Vec<HealthEntity>,
}

impl HealthStatus {
    /// Returns the status of these entities. The worst entity determines the whole.
    pub fn of(entities: Vec<HealthEntity>) -> Self {
        let worst = entities.iter().map(|entity| entity.state.availability()).max();
        HealthStatus { can_send_message: worst.unwrap_or(Availability::Available), entities }
    }

    /// Returns the status of a restricted account, as the simulated platform reports it.
    pub fn restricted(account: &str) -> Self {
        let error = HealthError {
            error_code: 141_014,
            error_description: "The business account is restricted (simulated).".to_owned(),
            possible_solution: "Request a review in Meta Business Manager (simulated).".to_owned(),
        };
        Self::of(vec![HealthEntity {
            entity_type: EntityType::Waba,
            id: account.to_owned(),
            state: EntityState::new(Availability::Blocked, Vec::new(), vec![error]),
            can_receive_call_sip: None,
        }])
    }

    /// Returns the platform's hints and possible solutions, each once, for `additional_info` of the error.
    pub fn hints(&self) -> Vec<String> {
        let hints = self.entities.iter().flat_map(|entity| match &entity.state {
            EntityState::Available { .. } => Vec::new(),
            EntityState::Limited { additional_info, .. } => additional_info.clone(),
            EntityState::Blocked { errors, .. } => errors.iter().map(|error| error.possible_solution.clone()).collect(),
        });
        let mut distinct = Vec::new();
        for hint in hints.filter(|hint| !hint.is_empty()) {
            if !distinct.contains(&hint) {
                distinct.push(hint);
            }
        }
        distinct
    }
}

/// An entity at WhatsApp that takes part in sending messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ProviderHealthEntity)]
pub struct HealthEntity {
    pub entity_type: EntityType,
    /// WhatsApp's id of the entity.
    pub id: String,
    #[serde(flatten)]
    #[schema(value_type = EntityStateFields)]
    pub state: EntityState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub can_receive_call_sip: Option<Availability>,
}

/// The type of an entity that takes part in sending messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = ProviderHealthEntityType)]
pub enum EntityType {
    PhoneNumber,
    MessageTemplate,
    Waba,
    Business,
    App,
}

/// Whether an entity can send messages, and what prevents or limits it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "can_send_message", rename_all = "UPPERCASE")]
pub enum EntityState {
    Available {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        additional_info: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<HealthError>,
    },
    Limited {
        additional_info: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        errors: Vec<HealthError>,
    },
    Blocked {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        additional_info: Vec<String>,
        errors: Vec<HealthError>,
    },
}

impl EntityState {
    pub fn new(availability: Availability, additional_info: Vec<String>, errors: Vec<HealthError>) -> Self {
        match availability {
            Availability::Available => EntityState::Available { additional_info, errors },
            Availability::Limited => EntityState::Limited { additional_info, errors },
            Availability::Blocked => EntityState::Blocked { additional_info, errors },
        }
    }

    pub fn availability(&self) -> Availability {
        match self {
            EntityState::Available { .. } => Availability::Available,
            EntityState::Limited { .. } => Availability::Limited,
            EntityState::Blocked { .. } => Availability::Blocked,
        }
    }
}

/// The fields of an [`EntityState`].
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the fields in the OpenAPI document")]
struct EntityStateFields {
    can_send_message: Availability,
    /// The limits of the entity. Always present if it is `LIMITED`.
    additional_info: Option<Vec<String>>,
    /// The errors that prevent the entity from sending. Always present if it is `BLOCKED`.
    errors: Option<Vec<HealthError>>,
}

/// Why an entity cannot send messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ProviderHealthError)]
pub struct HealthError {
    /// WhatsApp's code.
    pub error_code: i64,
    /// WhatsApp's description of the error.
    pub error_description: String,
    /// The solution that WhatsApp suggests.
    pub possible_solution: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limited_always_has_hints_and_blocked_always_has_errors() {
        let entity = |availability| HealthEntity {
            entity_type: EntityType::Waba,
            id: "1".into(),
            state: EntityState::new(availability, vec![], vec![]),
            can_receive_call_sip: None,
        };
        let show = |availability| serde_json::to_value(entity(availability)).expect("JSON");
        assert_eq!(
            show(Availability::Available),
            json!({"entity_type": "WABA", "id": "1", "can_send_message": "AVAILABLE"})
        );
        assert_eq!(show(Availability::Limited)["additional_info"], json!([]));
        assert_eq!(show(Availability::Blocked)["errors"], json!([]));
        let status = HealthStatus::of(vec![entity(Availability::Limited), entity(Availability::Available)]);
        assert_eq!(status.can_send_message, Availability::Limited);
    }
}
