//! The operations of a change, each with its condition.

use crate::engine::expression::{Condition, Update};
use crate::engine::item::Item;
use crate::keys::Key;

#[derive(Clone)]
pub(crate) enum Operation {
    Put(NewItemWrite),
    Update(Update),
    Delete(Key, Condition),
    Check(Key, Condition),
}

#[derive(Clone)]
pub(crate) struct NewItemWrite {
    pub(crate) item: Item,
    pub(crate) condition: Condition,
}
