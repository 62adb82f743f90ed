//! Condition expressions.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Item, Placeholders, members, tokens};

/// Whether a condition expression is true for an item; `None` if the item does not exist.
pub(crate) fn holds(text: &str, placeholders: &Placeholders<'_>, item: Option<&Item>) -> bool {
    let tokens = tokens(text);
    let mut condition = Condition { tokens: &tokens, at: 0, placeholders, item };
    let holds = condition.any();
    assert!(condition.at == tokens.len(), "unsupported expression: {text}");
    holds
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

    /// Conditions, of which one must hold.
    fn any(&mut self) -> bool {
        let mut holds = self.all();
        while self.peek() == "OR" {
            self.at += 1;
            holds |= self.all();
        }
        holds
    }

    /// Conditions, all of which must hold.
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
            "contains" => self.contains(),
            _ => self.comparison(),
        }
    }

    fn contains(&mut self) -> bool {
        self.at += 1;
        self.expect("(");
        let set = self.operand();
        self.expect(",");
        let member = self.operand();
        self.expect(")");
        let (Some(set), Some(member)) = (set, member) else { return false };
        members(&set).iter().any(|found| Some(found.as_str()) == member["S"].as_str())
    }

    /// The only argument of a function.
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
        if operator == "BETWEEN" {
            self.expect("AND");
            return is_between(left.as_ref(), right.as_ref(), self.operand().as_ref());
        }
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

/// Whether a value is one of the bounds or between them.
fn is_between(value: Option<&Value>, first: Option<&Value>, last: Option<&Value>) -> bool {
    let (Some(value), Some(first), Some(last)) = (value, first, last) else { return false };
    order(first, value).is_some_and(Ordering::is_le) && order(value, last).is_some_and(Ordering::is_le)
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
