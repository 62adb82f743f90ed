//! `restore`: reconciles a restored table with the changes since its restore point (docs/restore.md). `recount`: lets the messages
//! of earlier releases be counted (docs/insight.md).
//!
//! This crate works on items and objects only. tools/operate/restore.py stops and starts the functions, moves the stack to
//! the restored table, and runs this program in between.

mod counters;
mod credentials;
mod lost;
mod media;
mod members;
mod objects;
mod program;
mod reconciliation;
mod sends;
mod steps;
mod usage;

pub use objects::Objects;
pub use program::{connection, describe};
pub use reconciliation::{Credentials, Options, Reconciliation, Tables, reconcile};
pub use steps::Steps;
