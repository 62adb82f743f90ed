//! Flows: forms of several screens that the recipient fills in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::checks;
use crate::Failure;
use crate::text::NAME_LENGTH;

/// The longest text of the button, in characters.
pub const CTA_LENGTH: usize = 30;
/// The longest token of a flow, in characters.
pub const TOKEN_LENGTH: usize = 512;
pub const ID_LENGTH: usize = 64;

/// Whether the flow's draft is sent, or its published version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ChatFlowMode)]
pub enum FlowMode {
    Draft,
    Published,
}

/// What opening the flow does: it shows a screen, or asks the flow's endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChatFlowAction)]
pub enum FlowAction {
    Navigate,
    DataExchange,
}

/// The flow that a message opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FlowName {
    FlowId(String),
    FlowName(String),
}

/// The button that opens a flow.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flow {
    pub flow: FlowName,
    /// The text of the button.
    pub cta: String,
    pub token: Option<String>,
    pub mode: Option<FlowMode>,
    pub action: Option<FlowAction>,
    pub screen: Option<String>,
    pub data: Option<Map<String, Value>>,
}

impl Flow {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        match &self.flow {
            FlowName::FlowId(id) => checks::token(id, &format!("{at}.flowId"), ID_LENGTH)?,
            FlowName::FlowName(name) => checks::line(name, &format!("{at}.flowName"), NAME_LENGTH)?,
        }
        checks::line(&self.cta, &format!("{at}.cta"), CTA_LENGTH)?;
        let token = |value: &str, param: &str| checks::token(value, param, TOKEN_LENGTH);
        checks::optional(self.token.as_ref(), &format!("{at}.token"), token)?;
        let line = |value: &str, param: &str| checks::line(value, param, NAME_LENGTH);
        checks::optional(self.screen.as_ref(), &format!("{at}.screen"), line)?;
        self.check_payload(at)
    }

    fn check_payload(&self, at: &str) -> Result<(), Failure> {
        let refuse = |field: &str, why: &str| {
            let param = format!("{at}.{field}");
            Err(Failure::invalid(&param, format!("{param} {why}")))
        };
        let navigates = self.action != Some(FlowAction::DataExchange);
        match (&self.screen, &self.data) {
            (Some(_), _) if !navigates => refuse("screen", "is for the action navigate only. Omit it."),
            (_, Some(_)) if !navigates => refuse("data", "is for the action navigate only. Omit it."),
            (None, _) if self.action == Some(FlowAction::Navigate) => {
                refuse("screen", "is required with the action navigate: the first screen to show.")
            }
            (None, Some(_)) => refuse("screen", "is required with data: the screen that gets it."),
            (_, Some(data)) if data.is_empty() => refuse("data", "must not be empty. Omit it instead."),
            _ => Ok(()),
        }
    }
}
