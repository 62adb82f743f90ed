//! The handle on the whole table. The items of one organization are reached through [`Store::of`].

use crate::keys;
use crate::table::Table;

#[derive(Clone)]
pub struct Store {
    pub(crate) table: Table,
}

impl Store {
    pub fn new(client: aws_sdk_dynamodb::Client, table: impl Into<String>) -> Self {
        Store { table: Table::new(client, table.into()) }
    }

    /// Opens the connection during initialisation, where the processor is not throttled. The reserved key holds nothing,
    /// and a failure here will show again, with an answer, at the first request.
    pub async fn warm_up(&self) {
        let _ = self.table.get(&keys::warm_up()).await;
    }
}
