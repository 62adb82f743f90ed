//! DynamoDB's condition and update expressions, as far as the store uses them.

mod condition;
mod update;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub(crate) use self::condition::holds;
pub(crate) use self::update::apply;

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

/// The members of a set.
fn members(set: &Value) -> Vec<String> {
    set["SS"].as_array().into_iter().flatten().filter_map(|member| member.as_str().map(str::to_owned)).collect()
}

/// The words and signs of an expression.
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
