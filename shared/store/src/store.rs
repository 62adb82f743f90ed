//! The handle on the whole table.

use crate::keys;
use crate::table::Table;

/// The handle on the whole table. [`Store::of`] gives access to the items of one organization.
#[derive(Clone)]
pub struct Store {
    pub(crate) table: Table,
}

impl Store {
    pub fn new(client: aws_sdk_dynamodb::Client, table: impl Into<String>) -> Self {
        Store { table: Table::new(client, table.into()) }
    }

    /// Opens the connection during initialization, when Lambda does not throttle the CPU, by reading an item that does
    /// not exist. A failure is ignored: it will occur again in the first request and be reported there.
    pub async fn warm_up(&self) {
        let _ = self.table.get(&keys::warm_up()).await;
    }
}
