//! The health status of an account, a number or a template, as the platform sends it and as part of a failure.

use domain::Failure;
use domain::error::provider::{Availability, EntityState, EntityType, HealthEntity, HealthError, HealthStatus};
use serde::Deserialize;
use serde_json::Value;

use super::Inspection;
use crate::error::PlatformError;
use crate::graph::id;
use crate::vault::AccessToken;

/// Returns the API failure for an error of the platform. If something is blocked or restricted, a second call with a
/// short time limit adds the health status of `node`; if that call fails, the failure has no health status.
pub async fn failure_with_health(
    error: PlatformError,
    platform: &(impl Inspection + ?Sized),
    token: &AccessToken,
    node: &str,
) -> Failure {
    if !error.is_blocked() {
        return error.into();
    }
    let health = platform.health(token, node).await.ok();
    error.with_health_status(health).into()
}

#[derive(Deserialize)]
pub(super) struct HealthResponse {
    health_status: Health,
}

#[derive(Default, Deserialize)]
pub(super) struct Health {
    #[serde(default)]
    entities: Vec<Entity>,
}

#[derive(Deserialize)]
struct Entity {
    entity_type: Value,
    #[serde(deserialize_with = "id")]
    id: String,
    can_send_message: Value,
    can_receive_call_sip: Option<Value>,
    #[serde(default)]
    additional_info: Vec<String>,
    #[serde(default)]
    errors: Vec<EntityError>,
}

#[derive(Deserialize)]
struct EntityError {
    error_code: i64,
    #[serde(default)]
    error_description: String,
    #[serde(default)]
    possible_solution: String,
}

impl Health {
    /// Returns the health status. The overall status is derived from the entities' ability to send messages, because
    /// the platform's own overall status includes calls. Unknown kinds of entities and states are omitted.
    pub(super) fn status(self) -> HealthStatus {
        HealthStatus::of(self.entities.into_iter().filter_map(Entity::known).collect())
    }
}

impl HealthResponse {
    pub(super) fn status(self) -> HealthStatus {
        self.health_status.status()
    }
}

impl Entity {
    fn known(self) -> Option<HealthEntity> {
        let availability: Availability = serde_json::from_value(self.can_send_message).ok()?;
        let entity_type: EntityType = serde_json::from_value(self.entity_type).ok()?;
        let errors = self.errors.into_iter().map(|error| HealthError {
            error_code: error.error_code,
            error_description: error.error_description,
            possible_solution: error.possible_solution,
        });
        Some(HealthEntity {
            entity_type,
            id: self.id,
            state: EntityState::new(availability, self.additional_info, errors.collect()),
            can_receive_call_sip: self.can_receive_call_sip.and_then(|sip| serde_json::from_value(sip).ok()),
        })
    }
}
