//! Update expressions.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Item, Placeholders, members, tokens};

/// Applies an update expression.
pub(crate) fn apply(text: &str, placeholders: &Placeholders<'_>, item: &mut Item) {
    let before = item.clone();
    let tokens = tokens(text);
    let mut verb = "";
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].as_str() {
            word @ ("SET" | "REMOVE" | "ADD" | "DELETE") => {
                verb = word;
                at += 1;
            }
            "," => at += 1,
            name => {
                let name = placeholders.attribute(name);
                let rest = &tokens[at + 1..];
                at += 1 + match verb {
                    "SET" => {
                        let (used, value) = assigned(rest, placeholders, &before);
                        item.insert(name, value);
                        used
                    }
                    "REMOVE" => {
                        item.remove(&name);
                        0
                    }
                    "ADD" => {
                        let sum = sum(before.get(&name), &placeholders.value(&rest[0]));
                        item.insert(name, sum);
                        1
                    }
                    "DELETE" => {
                        delete(item, name, &before, &placeholders.value(&rest[0]));
                        1
                    }
                    _ => panic!("unsupported expression: {text}"),
                };
            }
        }
    }
}

/// Evaluates `= :value` or `= if_not_exists(#name, :value)`. Returns the number of tokens and the value.
fn assigned(tokens: &[String], placeholders: &Placeholders<'_>, before: &Item) -> (usize, Value) {
    assert_eq!(tokens[0], "=");
    if tokens[1] == "if_not_exists" {
        let standing = before.get(&placeholders.attribute(&tokens[3])).cloned();
        return (7, standing.unwrap_or_else(|| placeholders.value(&tokens[5])));
    }
    (2, placeholders.value(&tokens[1]))
}

/// Adds to a number or a set. An attribute that does not exist counts as zero or as an empty set.
fn sum(standing: Option<&Value>, more: &Value) -> Value {
    if more["SS"].is_array() {
        let all: BTreeSet<String> =
            standing.map(members).unwrap_or_default().into_iter().chain(members(more)).collect();
        return json!({"SS": all});
    }
    let number = |value: &Value| value["N"].as_str().and_then(|text| text.parse::<i128>().ok()).unwrap_or_default();
    json!({"N": (standing.map(number).unwrap_or_default() + number(more)).to_string()})
}

/// Removes members of a set, and the attribute if none is left.
fn delete(item: &mut Item, name: String, before: &Item, removed: &Value) {
    let removed = members(removed);
    let standing = before.get(&name).map(members).unwrap_or_default();
    let left: Vec<String> = standing.into_iter().filter(|member| !removed.contains(member)).collect();
    if left.is_empty() {
        item.remove(&name);
    } else {
        item.insert(name, json!({"SS": left}));
    }
}
