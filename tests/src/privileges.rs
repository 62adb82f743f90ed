//! Records which privileges each function uses. Every function has its own HTTP client, which identifies the caller.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Mutex;

use aws_smithy_runtime_api::client::http::HttpConnectorFuture;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use url::Url;

use crate::needs;
use crate::request::Reply;
use crate::settings::endpoint;

/// The caller name of the tests themselves.
pub const TEST: &str = "test";

static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Records the privileges before the call, because failed calls need them too.
pub(crate) fn note(caller: &str, request: &HttpRequest) {
    remember(caller, || needs::of(request));
}

/// Records the additional privilege that a call of the bucket needs if its response is 404.
pub(crate) fn note_answer(caller: &'static str, answer: HttpConnectorFuture) -> HttpConnectorFuture {
    HttpConnectorFuture::new(async move {
        let response = answer.await?;
        if response.status().as_u16() == 404 {
            remember(caller, || BTreeSet::from([needs::TO_MISS_AN_OBJECT.to_owned()]));
        }
        Ok(response)
    })
}

/// Records the use of a presigned URL, which needs the privileges of the function that signed it. Example URLs have another
/// host and are ignored.
pub(crate) fn note_presigned(function: &str, reply: &Reply) {
    note_presigned_in(function, &reply.text);
}

/// Records the use of presigned URLs in a text, which needs the privileges of the function that signed them.
pub fn note_presigned_in(function: &str, text: &str) {
    if !text.contains("X-Amz-Signature=") {
        return;
    }
    let host = endpoint();
    let addresses = text.split('"').filter(|text| text.starts_with(&host));
    for address in addresses.filter_map(|text| Url::parse(text).ok()) {
        remember(function, || needs::of_bucket(&address, None));
    }
}

/// Appends new privileges to a file, for the check after all tests that the policies allow exactly the used privileges.
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
