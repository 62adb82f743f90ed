//! Cursors of lists. A cursor holds a version, the list, its filter and the last id of the page, and a checksum over
//! these and the organization. The partition to read comes from the caller, so a cursor never gives access to another
//! organization.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::OrganizationId;
use domain::identity::credential::checksum;

const VERSION: &str = "1";
/// The maximum length of an id: a ksuid, the platform's id of a template, a language, or an encoded cursor of the platform.
pub const LONGEST_ID: usize = 1024;

/// Returns the cursor after the item `last`. `list` names the list and its filter: `webhooks/app_...`.
pub fn encode(organization: &OrganizationId, list: &str, last: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{VERSION}:{list}:{last}:{}", sum(organization, list, last)))
}

/// Returns the cursor after a page of a list that the platform keeps. `after` is the platform's own cursor.
pub fn encode_platform(organization: &OrganizationId, list: &str, after: &str) -> String {
    encode(organization, list, &URL_SAFE_NO_PAD.encode(after))
}

/// Returns the platform's own cursor from a cursor; `None` as [`decode`] does.
pub fn decode_platform(organization: &OrganizationId, list: &str, cursor: &str) -> Option<String> {
    let after = decode(organization, list, cursor)?;
    String::from_utf8(URL_SAFE_NO_PAD.decode(after).ok()?).ok()
}

/// Returns the last id of the previous page, or `None` if the cursor is damaged or belongs to another list or
/// organization.
pub fn decode(organization: &OrganizationId, list: &str, cursor: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let rest = text.strip_prefix(VERSION)?.strip_prefix(':')?.strip_prefix(list)?.strip_prefix(':')?;
    let (last, checksum) = rest.split_once(':')?;
    let is_id = (1..=LONGEST_ID).contains(&last.len())
        && last.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    (is_id && checksum == sum(organization, list, last)).then(|| last.to_owned())
}

fn sum(organization: &OrganizationId, list: &str, last: &str) -> String {
    checksum(&format!("{VERSION}:{organization}:{list}:{last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: &str = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";

    fn organization(ksuid: &str) -> OrganizationId {
        OrganizationId::from_ksuid(ksuid).expect("a ksuid")
    }

    #[test]
    fn a_cursor_continues_its_own_list_only() {
        let own = organization(LAST);
        let cursor = encode(&own, "apps", LAST);
        assert_eq!(decode(&own, "apps", &cursor).as_deref(), Some(LAST));
        assert_eq!(decode(&own, "app", &cursor), None);
        assert_eq!(decode(&own, "keys", &cursor), None);
        assert_eq!(decode(&organization("1ujtsYcgvSTl8PAuAdqWYSMnLOv"), "apps", &cursor), None);
    }

    #[test]
    fn a_cursor_of_the_platform_may_contain_anything() {
        let own = organization(LAST);
        for after in ["QVFI==", "a:b/c+d", &"é".repeat(300)] {
            let cursor = encode_platform(&own, "blocked", after);
            assert_eq!(decode_platform(&own, "blocked", &cursor).as_deref(), Some(after));
            assert_eq!(decode_platform(&own, "other", &cursor), None);
        }
    }

    #[test]
    fn damage_is_noticed() {
        let own = organization(LAST);
        let cursor = encode(&own, "apps", LAST);
        for at in 0..cursor.len() {
            let mut damaged = cursor.clone();
            damaged.replace_range(at..=at, if &cursor[at..=at] == "A" { "B" } else { "A" });
            assert_eq!(decode(&own, "apps", &damaged), None, "{damaged}");
        }
        for damaged in ["", "x", &cursor[1..], &cursor[..cursor.len() - 2], &format!("{cursor}="), "%00", "é"] {
            assert_eq!(decode(&own, "apps", damaged), None, "{damaged}");
        }
    }
}
