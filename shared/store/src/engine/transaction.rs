//! The conversion of operations into the items of a transaction.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure as OnFailure, TransactWriteItem, Update,
};

use crate::engine::expression::conditioned;
use crate::engine::item::key_attributes;
use crate::engine::operation::Operation;

pub(crate) fn transact_item(table: &str, operation: Operation) -> Result<TransactWriteItem, BuildError> {
    let item = TransactWriteItem::builder();
    let item = match operation {
        Operation::Put(put) => {
            let write = Put::builder().table_name(table).set_item(Some(put.item));
            item.put(conditioned!(write, put.condition).build()?)
        }
        Operation::Update(update) => {
            let (key, expression, condition) = update.build();
            let write =
                Update::builder().table_name(table).set_key(Some(key_attributes(&key))).update_expression(expression);
            item.update(conditioned!(write, condition).build()?)
        }
        Operation::Delete(key, condition) => {
            let write = Delete::builder().table_name(table).set_key(Some(key_attributes(&key)));
            item.delete(conditioned!(write, condition).build()?)
        }
        Operation::Check(key, condition) => {
            let check = ConditionCheck::builder().table_name(table).set_key(Some(key_attributes(&key)));
            item.condition_check(conditioned!(check, condition).build()?)
        }
    };
    Ok(item.build())
}
