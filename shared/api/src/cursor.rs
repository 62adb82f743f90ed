//! Cursors of lists. A cursor holds version, list, filter and the last ksuid of a page; the partition it continues in
//! comes from the caller, so a foreign cursor opens nothing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::KSUID_LENGTH;

const VERSION: &str = "1";

/// `list` names the list and its filter: `webhooks/app_...`.
pub fn encode(list: &str, last: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{VERSION}:{list}:{last}"))
}

pub fn decode(list: &str, cursor: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let last = text.strip_prefix(VERSION)?.strip_prefix(':')?.strip_prefix(list)?.strip_prefix(':')?;
    let is_ksuid = last.len() == KSUID_LENGTH && last.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_ksuid.then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_continues_its_own_list_only() {
        let last = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let cursor = encode("apps", last);
        assert_eq!(decode("apps", &cursor).as_deref(), Some(last));
        assert_eq!(decode("app", &cursor), None);
        assert_eq!(decode("keys", &cursor), None);
    }

    #[test]
    fn damage_is_noticed() {
        let cursor = encode("apps", "0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        for damaged in ["", "x", &cursor[1..], &cursor[..cursor.len() - 2], &format!("{cursor}="), "%00", "é"] {
            assert_eq!(decode("apps", damaged), None, "{damaged}");
        }
        assert_eq!(decode("apps", &encode("apps", "short")), None);
        assert_eq!(decode("apps", &URL_SAFE_NO_PAD.encode("2:apps:0ujtsYcgvSTl8PAuAdqWYSMnLOv")), None);
    }
}
