//! The interpretation of DynamoDB's errors.

use aws::failure::{AwsError, aws_failure};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::CancellationReason;
use domain::Failure;

use crate::engine::item::Item;

const SERVICE: &str = "DynamoDB";

/// Returns `Some` if the condition of a write failed, with the existing item, if there is one.
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
