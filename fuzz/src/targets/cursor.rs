//! Cursors and list queries. Line 1 is the list, line 2 the last id of a page, and line 3 a query string, in which `$CURSOR`
//! stands for the cursor of that list and id.
//!
//! A cursor decodes to the values it was encoded from; an accepted cursor is the only encoding of its values; a cursor of
//! another organization or list is rejected. The error for a rejected query names the parameter, if it has a name; an accepted
//! query is within the documented bounds.

use api::ListQuery;
use api::cursor::{LONGEST_ID, decode, encode};
use axum::extract::FromRequestParts as _;
use domain::ErrorKind;
use http::Request;

use super::{expect_param, is_nameless, line, now, organization, shown};

const OURS: &str = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
const THEIRS: &str = "1ujtsYcgvSTl8PAuAdqWYSMnLOv";

pub fn run(input: &[u8]) {
    let (list, rest) = line(input);
    let (last, query) = line(rest);
    let (list, last, query) =
        (String::from_utf8_lossy(list), String::from_utf8_lossy(last), String::from_utf8_lossy(query));
    let ours = organization(OURS);

    let cursor = encode(&ours, &list, &last);
    let is_id = (1..=LONGEST_ID).contains(&last.len()) && last.bytes().all(is_of_id);
    assert_eq!(decode(&ours, &list, &cursor).as_deref(), is_id.then_some(&*last));
    // Inserted into the query without encoding.
    assert!(cursor.bytes().all(is_of_id));
    expect_own(&list, &cursor);
    expect_own(&list, &query);

    let uri = format!("/v1/organization/apps?{}", query.replace("$CURSOR", &cursor));
    let Ok(request) = Request::get(uri).body(()) else { return };
    let (mut parts, ()) = request.into_parts();
    let sent: Vec<(String, String)> =
        url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    match now(ListQuery::from_request_parts(&mut parts, &())) {
        Err(rejection) => {
            let param = expect_param(&rejection, &[ErrorKind::InvalidRequest]);
            let is_told = |name: &str| if is_nameless(name) { param.is_none() } else { param == Some(&*shown(name)) };
            assert!(sent.iter().any(|(name, _)| is_told(name)), "{rejection:?}");
        }
        Ok(found) => {
            assert!((1..=100).contains(&found.limit), "{found:?}");
            let unknown = sent.iter().map(|(name, _)| name).find(|name| *name != "limit" && *name != "cursor");
            let value = |wanted: &str| sent.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
            assert_eq!(value("limit").map_or(Ok(25), str::parse), Ok(found.limit));
            assert_eq!(found.cursor.as_deref(), value("cursor"));
            match found.page(&ours, &list) {
                Err(failure) if failure.param() == Some("cursor") => {
                    assert_eq!(failure.kind(), ErrorKind::InvalidRequest);
                }
                // An unknown parameter is reported after all wrong ones.
                Err(failure) => {
                    let name = unknown.expect("an unknown parameter");
                    let param = Some(shown(name)).filter(|_| !is_nameless(name));
                    assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, param.as_deref()));
                }
                Ok(page) => {
                    assert_eq!(unknown, None, "{found:?}");
                    assert_eq!(page.before, found.cursor.and_then(|cursor| decode(&ours, &list, &cursor)));
                }
            }
        }
    }
}

/// Whether ids and cursors may contain the byte.
fn is_of_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Checks that a position in a list has exactly one cursor, which is valid for no other list.
fn expect_own(list: &str, cursor: &str) {
    let ours = organization(OURS);
    let Some(last) = decode(&ours, list, cursor) else { return };
    assert_eq!(encode(&ours, list, &last), cursor);
    assert_eq!(decode(&organization(THEIRS), list, cursor), None);
    for other in [format!("{list}s"), list.chars().skip(1).collect(), format!("{list}:{last}")] {
        assert!(other == list || decode(&ours, &other, cursor).is_none(), "{other:?} {cursor}");
    }
}
