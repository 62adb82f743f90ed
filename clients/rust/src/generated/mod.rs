//! What `make contract` generates from the annotations of the operations.

pub(crate) mod kinds;
pub mod methods;
pub mod queries;
pub mod types;
