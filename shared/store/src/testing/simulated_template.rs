//! The simulated platform's records of the templates of its accounts: templates that were created or edited through
//! this API, and deleted templates of its own.

use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};

use crate::engine::change::Change;
use crate::engine::expression::Update;
use crate::engine::item::{entities, entity};
use crate::engine::table::Range;
use crate::keys::Key;
use crate::{OrganizationStore, Reads, keys};

/// A template of the simulated platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedTemplate {
    pub id: String,
    pub name: String,
    pub language: String,
    pub category: String,
    /// JSON, as text: DynamoDB would limit the precision of numbers and the depth of nesting.
    pub components: String,
    pub parameter_format: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_send_ttl_seconds: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality_score: Option<String>,
    /// When the platform decides on it. It is pending until then.
    pub reviewed_at: Timestamp,
    /// Whether it hides one of the platform's own templates.
    #[serde(default)]
    pub is_deleted: bool,
}

impl Reads {
    /// Returns the record of a template of an account.
    pub async fn simulated_template(
        &self,
        account: &str,
        name: &str,
        language: &str,
    ) -> Result<Option<SimulatedTemplate>, Failure> {
        let key = keys::simulated_template(&self.organization, account, name, language);
        self.table.get(&key).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    fn simulated_template_key(&self, account: &str, template: &SimulatedTemplate) -> Key {
        keys::simulated_template(&self.organization, account, &template.name, &template.language)
    }

    /// Returns the records of the templates of an account: at most a few hundred.
    pub async fn simulated_templates(&self, account: &str) -> Result<Vec<SimulatedTemplate>, Failure> {
        let all = Range {
            from: Some(keys::SIMULATED_TEMPLATE),
            before: Some(keys::AFTER_SIMULATED_TEMPLATE),
            ..Range::whole(keys::simulated_state(&self.organization, account))
        };
        entities(self.table.query(all).await?)
    }

    /// Creates a template. Returns `false` if the account has one with this name and language.
    pub async fn create_simulated_template(
        &self,
        account: &str,
        template: &SimulatedTemplate,
    ) -> Result<bool, Failure> {
        let update = Update::overwriting(self.simulated_template_key(account, template), template, &[])?
            .when("attribute_not_exists(PK) OR #isDeleted = :deleted")
            .value(":deleted", aws_sdk_dynamodb::types::AttributeValue::Bool(true));
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Overwrites the record of a template.
    pub async fn put_simulated_template(&self, account: &str, template: &SimulatedTemplate) -> Result<(), Failure> {
        let update = Update::overwriting(self.simulated_template_key(account, template), template, &[])?;
        let unconditional = || Failure::internal("DynamoDB rejected an unconditional write");
        self.table.update(update, unconditional).await.map(|_| ())
    }

    pub async fn delete_simulated_template(&self, account: &str, template: &SimulatedTemplate) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.delete_any(self.simulated_template_key(account, template));
        self.table.commit(&change).await.map(|_| ())
    }
}
