//! The operations whose path is close to one that does not exist: misspelt, in other letter case, or with a segment too many or
//! too few.

use std::collections::BTreeMap;

use crate::routes::Operation;

/// Longer paths get no suggestions, which limits the work.
const LONGEST_PATH: usize = 200;
const MOST_SEGMENTS: usize = 12;
/// How many operations are suggested, if several are equally close.
const SUGGESTIONS: usize = 2;

/// The highest cost of changing a path to a similar one: one segment removed, two added, or a few misspelt.
const MOST_COST: usize = 4;
const COST_OF_REMOVAL: usize = 3;
const COST_OF_ADDITION: usize = 2;
/// An id or an empty segment, as at the end of a path.
const COST_OF_ID: usize = 1;
/// A word in the place of an id.
const COST_OF_WORD: usize = 3;
const VERSION: &str = "v1";

/// Returns the operations that were probably meant, such as `POST /v1/chat/messages`; for a path that does not support the
/// method, the path with its methods.
pub(crate) fn similar(operations: &[Operation], method: &str, path: &str) -> Vec<String> {
    let sent: Vec<String> = path.split('/').skip(1).take(MOST_SEGMENTS + 1).map(str::to_ascii_lowercase).collect();
    if path.len() > LONGEST_PATH || sent.len() > MOST_SEGMENTS {
        return Vec::new();
    }

    let mut methods: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operation in operations {
        methods.entry(&operation.path).or_default().push(operation.method);
    }
    let mut close: Vec<(usize, bool, &str)> = methods
        .iter()
        .filter_map(|(path, methods)| Some((cost(&sent, path)?, !methods.contains(&method), *path)))
        .collect();
    close.sort_unstable();
    let best = close.first().map(|(cost, lacks_method, _)| (*cost, *lacks_method));
    close.retain(|(cost, lacks_method, _)| Some((*cost, *lacks_method)) == best);

    let suggestion = |(_, lacks_method, path): (usize, bool, &str)| match lacks_method {
        false => format!("{method} {path}"),
        true => format!("{path} ({})", methods[path].join(", ")),
    };
    close.into_iter().take(SUGGESTIONS).map(suggestion).collect()
}

/// Returns the cost of changing the requested path to an existing one; `None` if they are not similar.
fn cost(sent: &[String], path: &str) -> Option<usize> {
    let known: Vec<&str> = path.split('/').skip(1).collect();
    let has_common_word = known.iter().any(|word| {
        *word != VERSION && !is_parameter(word) && sent.iter().any(|segment| misspelling(segment, word).is_some())
    });
    if !has_common_word || known.len().abs_diff(sent.len()) > MOST_COST {
        return None;
    }

    // The edit distance of the two lists, row by row: `costs[i]` is the cost for the first i segments of `known`.
    let addition = |word: &str| if is_parameter(word) { COST_OF_ID } else { COST_OF_ADDITION };
    let mut costs: Vec<usize> = vec![0];
    costs.extend(known.iter().scan(0, |total, word| {
        *total += addition(word);
        Some(*total)
    }));
    for segment in sent {
        let removal = if segment.is_empty() { COST_OF_ID } else { COST_OF_REMOVAL };
        let mut next = vec![costs[0] + removal];
        for (index, word) in known.iter().enumerate() {
            let changed = misspelling(segment, word).map(|misspelling| costs[index] + misspelling);
            let others = (costs[index + 1] + removal).min(next[index] + addition(word));
            next.push(changed.map_or(others, |changed| changed.min(others)));
        }
        costs = next;
    }
    costs.last().copied().filter(|cost| *cost <= MOST_COST)
}

fn is_parameter(word: &str) -> bool {
    word.starts_with('{')
}

/// Returns the number of letters in which a segment differs from a word of a path; `None` if it is another word. A
/// segment with digits or underscores is an id, because parameters can have any value.
fn misspelling(segment: &str, word: &str) -> Option<usize> {
    if is_parameter(word) {
        let is_id = segment.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_');
        return (!segment.is_empty()).then_some(if is_id { 0 } else { COST_OF_WORD });
    }
    let most = (segment.len().min(word.len()) / 3).max(1);
    if segment.is_empty() || segment.len().abs_diff(word.len()) > most {
        return None;
    }
    let mut distances: Vec<usize> = (0..=word.len()).collect();
    for (row, letter) in segment.bytes().enumerate() {
        let mut next = vec![row + 1];
        for (index, other) in word.bytes().enumerate() {
            let changed = distances[index] + usize::from(letter != other);
            next.push(changed.min(distances[index + 1] + 1).min(next[index] + 1));
        }
        distances = next;
    }
    distances.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations() -> Vec<Operation> {
        [
            ("GET", "/"),
            ("GET", "/v1/health"),
            ("GET", "/v1/events"),
            ("GET", "/v1/chat/messages"),
            ("POST", "/v1/chat/messages"),
            ("GET", "/v1/sms"),
            ("POST", "/v1/sms"),
            ("GET", "/v1/webhooks"),
            ("GET", "/v1/organization/apps"),
            ("GET", "/v1/organization/apps/{appId}/webhooks"),
            ("DELETE", "/v1/organization/apps/{appId}/keys/{keyId}"),
            ("GET", "/v1/organization/settings"),
        ]
        .map(|(method, path)| Operation { method, path: path.into() })
        .to_vec()
    }

    #[test]
    fn a_path_that_was_probably_meant_is_suggested() {
        for (method, path, expected) in [
            ("POST", "/v1/messages", &["POST /v1/chat/messages"][..]),
            ("POST", "/chat/messages", &["POST /v1/chat/messages"]),
            ("POST", "/v1/chat/messages/", &["POST /v1/chat/messages"]),
            ("POST", "/v1/chat/message", &["POST /v1/chat/messages"]),
            ("POST", "/V1/Chat/Messages", &["POST /v1/chat/messages"]),
            ("PATCH", "/v1//sms", &["/v1/sms (GET, POST)"]),
            ("GET", "/v1/organisation/setings", &["GET /v1/organization/settings"]),
            ("GET", "/v1/organization/webhooks", &["GET /v1/organization/apps/{appId}/webhooks", "GET /v1/webhooks"]),
            ("DELETE", "/v1/apps/app_1/keys/key_1", &["DELETE /v1/organization/apps/{appId}/keys/{keyId}"]),
            ("GET", "/v2/health", &["GET /v1/health"]),
        ] {
            assert_eq!(similar(&operations(), method, path), expected, "{method} {path}");
        }
    }

    #[test]
    fn nothing_is_suggested_for_other_paths() {
        let long = "/v1/health".repeat(30);
        let deep = "/v1".repeat(20) + "/health";
        for path in
            ["/v1", "/v1/", "//", "", "/wp-login.php", "/v1/nope", "/v1/organization/nope", &long, &deep, "/é/ß"]
        {
            assert_eq!(similar(&operations(), "GET", path), Vec::<String>::new(), "{path}");
        }
    }
}
