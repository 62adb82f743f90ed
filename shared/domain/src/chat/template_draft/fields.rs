//! Reads objects in the platform's own format. Each failure names the full path of the field.

use serde_json::{Map, Value};

use crate::{Failure, text};

/// How much of an unknown field's name a message repeats, in characters.
const LONGEST_NAME: usize = 50;

/// An object with its path.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    at: String,
}

fn wrong_type(param: &str, expected: &str) -> Failure {
    Failure::invalid(param, format!("{param} must be {expected}."))
}

impl<'a> Fields<'a> {
    /// Returns the object. Fails for any other value.
    pub(super) fn of(value: &'a Value, at: String) -> Result<Self, Failure> {
        match value {
            Value::Object(object) => Ok(Fields { object, at }),
            _ => Err(wrong_type(&at, "an object")),
        }
    }

    pub(super) fn at(&self) -> &str {
        &self.at
    }

    /// Returns the path of a field.
    pub(super) fn param(&self, name: &str) -> String {
        format!("{}.{name}", self.at)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    fn get<T>(&self, name: &str, expected: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>, Failure> {
        let found = self.object.get(name);
        found.map(|value| read(value).ok_or_else(|| wrong_type(&self.param(name), expected))).transpose()
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Failure> {
        self.get(name, "a string", Value::as_str)
    }

    pub(super) fn required_text(&self, name: &str) -> Result<&'a str, Failure> {
        self.text(name)?.ok_or_else(|| Failure::missing(&self.param(name)))
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        self.get(name, "true or false", Value::as_bool)
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, Failure> {
        self.get(name, "an integer", Value::as_i64)
    }

    pub(super) fn list(&self, name: &str) -> Result<Option<&'a [Value]>, Failure> {
        self.get(name, "an array", |value| value.as_array().map(Vec::as_slice))
    }

    pub(super) fn required_list(&self, name: &str) -> Result<&'a [Value], Failure> {
        self.list(name)?.ok_or_else(|| Failure::missing(&self.param(name)))
    }

    /// Returns a nested object.
    pub(super) fn object(&self, name: &str) -> Result<Option<Fields<'a>>, Failure> {
        self.object.get(name).map(|value| Fields::of(value, self.param(name))).transpose()
    }

    /// Returns the value of an enumeration, which may be written in either letter case.
    pub(super) fn one_of(&self, name: &str, allowed: &[&'static str]) -> Result<&'static str, Failure> {
        let sent = self.required_text(name)?;
        allowed.iter().copied().find(|known| sent.eq_ignore_ascii_case(known)).ok_or_else(|| {
            let param = self.param(name);
            Failure::invalid(&param, format!("{param} must be one of: {}.", allowed.join(", ")))
        })
    }

    /// Returns one line of 1 to `most` characters without variables.
    pub(super) fn plain_line(&self, name: &str, most: usize) -> Result<&'a str, Failure> {
        let (sent, param) = (self.required_text(name)?, self.param(name));
        line(sent, &param, most)?;
        if sent.contains("{{") {
            return Err(Failure::invalid(&param, format!("{param} must not contain variables. Remove {{{{…}}}}.")));
        }
        Ok(sent)
    }

    /// Fails if the object has any other field than these.
    pub(super) fn expect_only(&self, allowed: &[&str]) -> Result<(), Failure> {
        let Some(unknown) = self.object.keys().find(|name| !allowed.contains(&name.as_str())) else { return Ok(()) };
        let shown: String = unknown.chars().take(LONGEST_NAME).collect();
        let param = self.param(&shown);
        Err(Failure::invalid(&param, format!("{param} is not allowed here. Allowed: {}.", allowed.join(", "))))
    }
}

/// Validates one line of 1 to `most` characters.
pub(super) fn line(sent: &str, param: &str, most: usize) -> Result<(), Failure> {
    text::bounded(sent, param, most)?;
    if sent.chars().any(char::is_control) {
        return Err(Failure::invalid(param, format!("{param} must be one line, without control characters.")));
    }
    let length = sent.chars().count();
    if length > most {
        return Err(Failure::invalid(
            param,
            format!("{param} may have at most {most} characters. This one has {length}."),
        ));
    }
    Ok(())
}
