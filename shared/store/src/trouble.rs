//! What DynamoDB's errors mean.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::CancellationReason;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::orchestrator::OrchestratorError;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use domain::Failure;

use crate::connection::{AwsError, aws_failure};
use crate::item::Item;

const SERVICE: &str = "DynamoDB";

/// `Some` where a condition failed, with the item that stood there.
pub(crate) fn refused_item<E: ConditionFailure>(error: &SdkError<E>) -> Option<Option<Item>> {
    error.as_service_error().and_then(E::refused)
}

pub(crate) trait ConditionFailure {
    fn refused(&self) -> Option<Option<Item>>;
}

macro_rules! condition_failure {
    ($($error:ident),+) => {$(
        impl ConditionFailure for $error {
            fn refused(&self) -> Option<Option<Item>> {
                match self {
                    $error::ConditionalCheckFailedException(failed) => Some(failed.item.clone()),
                    _ => None,
                }
            }
        }
    )+};
}

condition_failure!(PutItemError, UpdateItemError, DeleteItemError);

pub(crate) fn cancellation_reasons(error: &SdkError<TransactWriteItemsError>) -> Option<&[CancellationReason]> {
    match error.as_service_error()? {
        TransactWriteItemsError::TransactionCanceledException(cancelled) => Some(cancelled.cancellation_reasons()),
        _ => None,
    }
}

pub(crate) fn failure<E: ProvideErrorMetadata>(error: SdkError<E>) -> Failure {
    aws_failure(SERVICE, &error)
}

pub(crate) fn cause<E: ProvideErrorMetadata>(error: &SdkError<E>) -> AwsError {
    AwsError::new(SERVICE, error)
}

/// A single write that meets a running transaction on its item is refused at once, and the SDK does not repeat it by itself.
#[derive(Debug)]
pub(crate) struct RetryConflicts;

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
