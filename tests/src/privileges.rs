//! Which function asks AWS for what: every function has an HTTP client of its own, which says who calls.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Mutex;

use aws_smithy_runtime_api::client::http::HttpConnectorFuture;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use url::Url;

use crate::needs;
use crate::request::Reply;
use crate::settings::endpoint;

/// Who a test is when it asks by itself.
pub const TEST: &str = "test";

static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A call that is refused, or never answered, needs its privileges too.
pub(crate) fn note(caller: &str, request: &HttpRequest) {
    remember(caller, || needs::of(request));
}

/// Of a call of the bucket.
pub(crate) fn note_answer(caller: &'static str, answer: HttpConnectorFuture) -> HttpConnectorFuture {
    HttpConnectorFuture::new(async move {
        let response = answer.await?;
        if response.status().as_u16() == 404 {
            remember(caller, || BTreeSet::from([needs::TO_MISS_AN_OBJECT.to_owned()]));
        }
        Ok(response)
    })
}

/// Whoever uses a presigned address uses the privileges of the function that signed it. Examples have another host.
pub(crate) fn note_presigned(function: &str, reply: &Reply) {
    if !reply.text.contains("X-Amz-Signature=") {
        return;
    }
    let host = endpoint();
    let addresses = reply.text.split('"').filter(|text| text.starts_with(&host));
    for address in addresses.filter_map(|text| Url::parse(text).ok()) {
        remember(function, || needs::of_bucket(&address, None));
    }
}

/// For the question that is asked when all tests are done: do the policies allow this, and nothing else?
fn remember(caller: &str, needs: impl FnOnce() -> BTreeSet<String>) {
    let Ok(path) = std::env::var("PRIVILEGES_SEEN") else { return };
    if caller == TEST {
        return;
    }
    let mut seen = SEEN.lock().unwrap();
    for line in needs().into_iter().map(|need| format!("{caller} {need}\n")) {
        if seen.insert(line.clone()) {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path).unwrap();
            file.write_all(line.as_bytes()).unwrap();
        }
    }
}
