//! The DynamoDB client.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::orchestrator::OrchestratorError;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};

use crate::client_config;
use crate::connection::Connection;

impl Connection {
    /// Returns a DynamoDB client that also retries transaction conflicts of single writes.
    pub fn dynamodb(&self) -> Client {
        Client::from_conf(client_config!(aws_sdk_dynamodb, self).retry_classifier(RetryConflicts).build())
    }
}

/// Retries single writes that DynamoDB rejected because a transaction was running on the same item. The SDK does not
/// retry them by default.
#[derive(Debug)]
struct RetryConflicts;

impl ClassifyRetry for RetryConflicts {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let error = context.output_or_error().and_then(Result::err).and_then(OrchestratorError::as_operation_error);
        let code = error.and_then(|error| {
            let put = error.downcast_ref::<PutItemError>().and_then(ProvideErrorMetadata::code);
            let update = error.downcast_ref::<UpdateItemError>().and_then(ProvideErrorMetadata::code);
            let delete = error.downcast_ref::<DeleteItemError>().and_then(ProvideErrorMetadata::code);
            put.or(update).or(delete)
        });
        match code {
            Some("TransactionConflictException") => RetryAction::transient_error(),
            _ => RetryAction::NoActionIndicated,
        }
    }

    fn name(&self) -> &'static str {
        "transaction conflicts of single writes"
    }
}
