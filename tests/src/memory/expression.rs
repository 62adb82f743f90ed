//! DynamoDB's condition and update expressions, as far as the store uses them.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// An item in DynamoDB's JSON format: each attribute is an object with its type and value.
pub(crate) type Item = Map<String, Value>;

/// The placeholders of one call.
pub(crate) struct Placeholders<'a> {
    pub(crate) names: &'a Value,
    pub(crate) values: &'a Value,
}

impl Placeholders<'_> {
    pub(crate) fn of(call: &Value) -> Placeholders<'_> {
        Placeholders { names: &call["ExpressionAttributeNames"], values: &call["ExpressionAttributeValues"] }
    }

    fn attribute(&self, token: &str) -> String {
        if !token.starts_with('#') {
            return token.to_owned();
        }
        self.names[token].as_str().unwrap_or_else(|| panic!("{token} is not declared")).to_owned()
    }

    fn value(&self, token: &str) -> Value {
        let value = &self.values[token];
        assert!(value.is_object(), "{token} has no value");
        value.clone()
    }
}

/// Whether a condition expression is true for an item; `None` if the item does not exist.
pub(crate) fn holds(text: &str, placeholders: &Placeholders<'_>, item: Option<&Item>) -> bool {
    let tokens = tokens(text);
    let mut condition = Condition { tokens: &tokens, at: 0, placeholders, item };
    let holds = condition.any();
    assert!(condition.at == tokens.len(), "unsupported expression: {text}");
    holds
}

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
                at += 1;
                let rest = &tokens[at..];
                match verb {
                    "SET" => {
                        let (used, value) = assigned(rest, placeholders, &before);
                        item.insert(name, value);
                        at += used;
                    }
                    "REMOVE" => {
                        item.remove(&name);
                    }
                    "ADD" => {
                        let sum = sum(before.get(&name), &placeholders.value(&rest[0]));
                        item.insert(name, sum);
                        at += 1;
                    }
                    "DELETE" => {
                        let removed = members(&placeholders.value(&rest[0]));
                        let left: Vec<String> = before.get(&name).map(members).unwrap_or_default();
                        let left: Vec<String> = left.into_iter().filter(|member| !removed.contains(member)).collect();
                        if left.is_empty() {
                            item.remove(&name)
                        } else {
                            item.insert(name, json!({"SS": left}))
                        };
                        at += 1;
                    }
                    _ => panic!("unsupported expression: {text}"),
                }
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

fn sum(standing: Option<&Value>, more: &Value) -> Value {
    if more["SS"].is_array() {
        let all: BTreeSet<String> =
            standing.map(members).unwrap_or_default().into_iter().chain(members(more)).collect();
        return json!({"SS": all});
    }
    let number = |value: &Value| value["N"].as_str().and_then(|text| text.parse::<i128>().ok()).unwrap_or_default();
    json!({"N": (standing.map(number).unwrap_or_default() + number(more)).to_string()})
}

fn members(set: &Value) -> Vec<String> {
    set["SS"].as_array().into_iter().flatten().filter_map(|member| member.as_str().map(str::to_owned)).collect()
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let is_word = c.is_ascii_alphanumeric() || matches!(c, '_' | '#' | ':');
        if is_word {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
        match (c, tokens.last_mut()) {
            (' ', _) => {}
            ('=' | '>', Some(last)) if last == "<" || (c == '=' && last == ">") => last.push(c),
            _ => tokens.push(c.to_string()),
        }
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    tokens
}

/// A parser without short-circuit evaluation: operands that do not affect the result must also be supported.
struct Condition<'a> {
    tokens: &'a [String],
    at: usize,
    placeholders: &'a Placeholders<'a>,
    item: Option<&'a Item>,
}

impl Condition<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).unwrap_or_else(|| panic!("a condition ends early")).clone()
    }

    fn expect(&mut self, token: &str) {
        assert_eq!(self.next(), token);
    }

    fn any(&mut self) -> bool {
        let mut holds = self.all();
        while self.peek() == "OR" {
            self.at += 1;
            holds |= self.all();
        }
        holds
    }

    fn all(&mut self) -> bool {
        let mut holds = self.one();
        while self.peek() == "AND" {
            self.at += 1;
            holds &= self.one();
        }
        holds
    }

    fn one(&mut self) -> bool {
        match self.peek() {
            "(" => {
                self.at += 1;
                let holds = self.any();
                self.expect(")");
                holds
            }
            "NOT" => {
                self.at += 1;
                !self.one()
            }
            "attribute_exists" => self.argument().is_some(),
            "attribute_not_exists" => self.argument().is_none(),
            "contains" => {
                self.at += 1;
                self.expect("(");
                let set = self.operand();
                self.expect(",");
                let member = self.operand();
                self.expect(")");
                let (Some(set), Some(member)) = (set, member) else { return false };
                members(&set).iter().any(|found| Some(found.as_str()) == member["S"].as_str())
            }
            _ => self.comparison(),
        }
    }

    fn argument(&mut self) -> Option<Value> {
        self.at += 1;
        self.expect("(");
        let operand = self.operand();
        self.expect(")");
        operand
    }

    fn operand(&mut self) -> Option<Value> {
        let token = self.next();
        if token == "size" {
            self.at -= 1;
            let sized = self.argument()?;
            let size = ["SS", "L"].iter().find_map(|kind| sized[*kind].as_array()).map_or(0, Vec::len);
            return Some(json!({"N": size.to_string()}));
        }
        if token.starts_with(':') {
            return Some(self.placeholders.value(&token));
        }
        self.item.and_then(|item| item.get(&self.placeholders.attribute(&token))).cloned()
    }

    fn comparison(&mut self) -> bool {
        let left = self.operand();
        let operator = self.next();
        let right = self.operand();
        let (Some(left), Some(right)) = (left, right) else { return false };
        match operator.as_str() {
            "=" => are_equal(&left, &right),
            "<>" => !are_equal(&left, &right),
            "<" => order(&left, &right) == Some(Ordering::Less),
            "<=" => matches!(order(&left, &right), Some(Ordering::Less | Ordering::Equal)),
            ">" => order(&left, &right) == Some(Ordering::Greater),
            ">=" => matches!(order(&left, &right), Some(Ordering::Greater | Ordering::Equal)),
            other => panic!("unsupported token: {other}"),
        }
    }
}

fn are_equal(a: &Value, b: &Value) -> bool {
    if a["SS"].is_array() && b["SS"].is_array() {
        let set = |value| members(value).into_iter().collect::<BTreeSet<_>>();
        return set(a) == set(b);
    }
    a == b
}

fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let number = |value: &Value| value["N"].as_str()?.parse::<i128>().ok();
    match (number(a), number(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => Some(a["S"].as_str()?.cmp(b["S"].as_str()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(value: Value) -> Item {
        let Value::Object(item) = value else { panic!("not an object") };
        item
    }

    #[test]
    fn conditions_hold_as_dynamodb_says() {
        let call = json!({
            "ExpressionAttributeNames": {"#n": "n", "#set": "set", "#gone": "gone"},
            "ExpressionAttributeValues": {":n": {"N": "3"}, ":m": {"S": "b"}},
        });
        let standing = item(json!({"PK": {"S": "x"}, "n": {"N": "2"}, "set": {"SS": ["a", "b"]}}));
        let placeholders = Placeholders::of(&call);
        for (text, of_standing, of_nothing) in [
            ("(attribute_exists(PK))", true, false),
            ("attribute_not_exists(PK) OR #n <= :n", true, true),
            ("(#n = :n) AND (attribute_not_exists(#gone))", false, false),
            ("(#n < :n) AND (attribute_not_exists(#gone) OR #gone = :m)", true, false),
            ("size(#set) < :n AND contains(#set, :m)", true, false),
            ("#n <> :n", true, false),
            ("NOT contains(#set, :m) OR #n = :n", false, true),
            ("#n < :n AND NOT contains(#gone, :m) AND (attribute_not_exists(#gone) OR #n = :n)", true, false),
            ("NOT #n = :n AND NOT (#n < :n)", false, true),
        ] {
            assert_eq!(holds(text, &placeholders, Some(&standing)), of_standing, "{text}");
            assert_eq!(holds(text, &placeholders, None), of_nothing, "{text}");
        }
    }

    #[test]
    fn updates_change_what_they_name() {
        let call = json!({
            "ExpressionAttributeNames": {"#a": "a", "#b": "b", "#n": "n", "#set": "set", "#old": "old", "#gone": "gone"},
            "ExpressionAttributeValues": {
                ":a": {"S": "new"}, ":b": {"S": "first"}, ":n": {"N": "-1"}, ":more": {"SS": ["c"]}, ":less": {"SS": ["x"]},
            },
        });
        let mut standing = item(json!({
            "a": {"S": "old"}, "n": {"N": "2"}, "set": {"SS": ["a"]}, "old": {"SS": ["x"]}, "gone": {"S": "x"}, "kept": {"S": "k"},
        }));
        let text = "SET #a = :a, #b = if_not_exists(#b, :b) REMOVE #gone ADD #n :n, #set :more DELETE #old :less";
        apply(text, &Placeholders::of(&call), &mut standing);
        let expected = json!({
            "a": {"S": "new"}, "b": {"S": "first"}, "n": {"N": "1"}, "set": {"SS": ["a", "c"]}, "kept": {"S": "k"},
        });
        assert_eq!(Value::Object(standing), expected);
    }
}
