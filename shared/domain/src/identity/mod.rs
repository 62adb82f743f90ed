//! The callers of the API: organizations, their apps, and the credentials that authenticate them.
//!
//! An organization owns everything. Its admin keys manage it, and each of its apps, live or test, has keys of its own
//! for sending and receiving. Only the hash of a credential is stored. Its kind shows what it gives access to.
//! Authentication errors reveal no more than helps the caller.

pub mod app;
pub mod credential;
pub mod credential_kind;
pub mod grant;
pub mod holder;
pub mod key;
pub mod member;
pub mod organization;
pub mod person;
pub mod rate;
pub mod scope;
pub mod unauthenticated;
