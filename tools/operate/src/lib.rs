//! `restore`: reconciles a restored table with what has happened since its restore point (docs/restore.md).
//!
//! It knows items and objects only. What controls the stack around it (stopping and starting functions, moving the stack to the
//! table) is done by tools/operate/restore.py, which runs this program in between.

mod counters;
mod credentials;
mod lost;
mod media;
mod objects;
mod reconciliation;
mod steps;

pub use objects::Objects;
pub use reconciliation::{Credentials, Options, Reconciliation, reconcile};
pub use steps::Steps;
