//! The targets. Inputs are text where possible, so that people can read and write them.

pub mod body;
pub mod credential;
pub mod cursor;
pub mod message;
pub mod multipart;
pub mod notification;
pub mod queue;
pub mod request;
pub mod values;
pub mod webhook;

use api::Rejection;
use domain::id::OrganizationId;
use domain::{ErrorKind, Failure};

/// Splits at the first line break.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}

fn organization(ksuid: &str) -> OrganizationId {
    OrganizationId::from_ksuid(ksuid).expect("a ksuid")
}

/// Checks that a failure is the caller's fault and that its message is fit to be shown.
#[track_caller]
fn expect_shown(failure: &Failure) {
    assert!(!failure.kind().is_fault(), "{failure:?}");
    assert!(failure.cause().is_none(), "{failure:?}");
    let is_shown = |text: &str, most: usize| {
        !text.is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control)
    };
    assert!(is_shown(failure.message(), 1000), "{failure:?}");
    assert!(failure.param().is_none_or(|param| is_shown(param, 100)), "{failure:?}");
}

/// Checks that the error is of one of these kinds and may be shown. Returns its parameter; `None` is right only if
/// nothing of the name can be shown (`is_nameless`).
#[track_caller]
fn expect_param<'a>(rejection: &'a Rejection, kinds: &[ErrorKind]) -> Option<&'a str> {
    let Rejection::Failed(failure) = rejection else { panic!("{rejection:?}") };
    expect_shown(failure);
    assert!(kinds.contains(&failure.kind()), "{failure:?}");
    failure.param()
}

/// The form in which an error shows a name.
fn shown(name: &str) -> String {
    visible(name).chars().take(100).collect()
}

fn visible(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).collect()
}

/// Whether nothing of the name can be shown.
fn is_nameless(name: &str) -> bool {
    visible(name).is_empty()
}

/// Runs a future that never has to wait.
fn now<T>(future: impl Future<Output = T>) -> T {
    use std::task::{Context, Poll, Waker};
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("the future is pending"),
    }
}
