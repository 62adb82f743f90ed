//! Condition and update expressions. Attribute names are always placeholders (`#name`), because DynamoDB reserves
//! hundreds of ordinary words. Writing `#name` in a condition is enough: the placeholder is declared automatically.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Failure;
use serde::Serialize;

use crate::engine::item::{Item, VERSION, number, value};
use crate::keys::Key;

/// A condition with its placeholders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    pub(crate) text: String,
    pub(crate) names: HashMap<String, String>,
    pub(crate) values: HashMap<String, AttributeValue>,
}

impl Condition {
    pub(crate) fn new(text: &str) -> Self {
        let mut condition = Condition::default();
        condition.and(text);
        condition
    }

    pub(crate) fn absent() -> Self {
        Self::new("attribute_not_exists(PK)")
    }

    pub(crate) fn present() -> Self {
        Self::new("attribute_exists(PK)")
    }

    fn and(&mut self, text: &str) {
        // In parentheses, because AND binds more tightly than OR.
        self.text = if self.text.is_empty() { format!("({text})") } else { format!("{} AND ({text})", self.text) };
        declare_names(text, &mut self.names);
    }

    pub(crate) fn value(mut self, name: &str, value: AttributeValue) -> Self {
        self.values.insert(name.to_owned(), value);
        self
    }
}

impl Condition {
    /// Returns the expression, names and values; `None` for empty ones, because DynamoDB rejects empty expressions and
    /// maps.
    pub(crate) fn parts(self) -> ConditionParts {
        let text = (!self.text.is_empty()).then_some(self.text);
        let names = (!self.names.is_empty()).then_some(self.names);
        let values = (!self.values.is_empty()).then_some(self.values);
        (text, names, values)
    }
}

type ConditionParts = (Option<String>, Option<HashMap<String, String>>, Option<HashMap<String, AttributeValue>>);

/// Sets the condition, if there is one, on the builder of any write; the SDK's builders have no common trait. If the
/// condition fails, DynamoDB returns the existing item.
macro_rules! conditioned {
    ($call:expr, $condition:expr) => {{
        let (text, names, values) = $condition.parts();
        let on_failure = text.is_some().then_some(OnFailure::AllOld);
        $call
            .set_condition_expression(text)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values)
            .set_return_values_on_condition_check_failure(on_failure)
    }};
}

pub(crate) use conditioned;

fn declare_names(text: &str, names: &mut HashMap<String, String>) {
    for part in text.split('#').skip(1) {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        names.insert(format!("#{}", &part[..end]), part[..end].to_owned());
    }
}

/// An update of named attributes. All other attributes stay, including those that only a later release knows.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) key: Key,
    set: Vec<String>,
    remove: Vec<String>,
    add: Vec<String>,
    delete: Vec<String>,
    condition: Condition,
}

impl Update {
    pub(crate) fn new(key: Key) -> Self {
        let (set, remove, add, delete) = Default::default();
        Update { key, set, remove, add, delete, condition: Condition::default() }
    }

    fn name(&mut self, attribute: &str) -> String {
        let placeholder = format!("#{attribute}");
        self.condition.names.insert(placeholder.clone(), attribute.to_owned());
        placeholder
    }

    /// Declares a value. Its placeholder is short, because requests are signed byte by byte.
    fn placeholder(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":{}", self.condition.values.len());
        self.condition.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// Returns the update from one state of an entity to another. It leaves out the attributes in `but`.
    pub(crate) fn between<T: Serialize>(key: Key, before: &T, after: &T, but: &[&str]) -> Result<Self, Failure> {
        let before: Item = serde_dynamo::to_item(before).map_err(Failure::internal)?;
        let after: Item = serde_dynamo::to_item(after).map_err(Failure::internal)?;
        let mut update = Update::new(key);
        for (name, value) in &after {
            if !but.contains(&name.as_str()) && before.get(name) != Some(value) {
                update = update.set_value(name, value.clone());
            }
        }
        for name in before.keys() {
            if !but.contains(&name.as_str()) && !after.contains_key(name) {
                update = update.remove(name);
            }
        }
        Ok(update)
    }

    /// Returns the update that overwrites the item under the key, or creates it. It removes those attributes in
    /// `optional` that the entity does not have. Attributes that only a later release knows stay.
    pub(crate) fn overwriting<T: Serialize>(key: Key, entity: &T, optional: &[&str]) -> Result<Self, Failure> {
        let item: Item = serde_dynamo::to_item(entity).map_err(Failure::internal)?;
        let absent: Vec<_> = optional.iter().filter(|name| !item.contains_key(**name)).collect();
        let mut update = Update::new(key).set_value(VERSION, number(1));
        for (name, value) in &item {
            update = update.set_value(name, value.clone());
        }
        Ok(absent.into_iter().fold(update, |update, name| update.remove(name)))
    }

    pub(crate) fn changes_nothing(&self) -> bool {
        [&self.set, &self.remove, &self.add, &self.delete].iter().all(|actions| actions.is_empty())
    }

    pub(crate) fn set<T: Serialize>(self, attribute: &str, to: &T) -> Result<Self, Failure> {
        Ok(self.set_value(attribute, value(to)?))
    }

    pub(crate) fn set_value(mut self, attribute: &str, to: AttributeValue) -> Self {
        let (name, value) = (self.name(attribute), self.placeholder(to));
        self.set.push(format!("{name} = {value}"));
        self
    }

    pub(crate) fn set_if_absent<T: Serialize>(mut self, attribute: &str, to: &T) -> Result<Self, Failure> {
        let value = value(to)?;
        let (name, value) = (self.name(attribute), self.placeholder(value));
        self.set.push(format!("{name} = if_not_exists({name}, {value})"));
        Ok(self)
    }

    /// Appends an element to a list, which need not exist.
    pub(crate) fn append<T: Serialize>(mut self, attribute: &str, element: &T) -> Result<Self, Failure> {
        let element = AttributeValue::L(vec![value(element)?]);
        let (name, element) = (self.name(attribute), self.placeholder(element));
        let empty = self.placeholder(AttributeValue::L(Vec::new()));
        self.set.push(format!("{name} = list_append(if_not_exists({name}, {empty}), {element})"));
        Ok(self)
    }

    pub(crate) fn remove(mut self, attribute: &str) -> Self {
        let name = self.name(attribute);
        self.remove.push(name);
        self
    }

    pub(crate) fn add(self, attribute: &str, amount: i64) -> Self {
        self.add_number(attribute, amount)
    }

    /// Adds a number that need not be whole.
    pub(crate) fn add_number(mut self, attribute: &str, amount: impl ToString) -> Self {
        let (name, value) = (self.name(attribute), self.placeholder(number(amount)));
        self.add.push(format!("{name} {value}"));
        self
    }

    pub(crate) fn add_member(self, attribute: &str, member: &str) -> Self {
        self.add_members(attribute, vec![member.to_owned()])
    }

    pub(crate) fn add_members(mut self, attribute: &str, members: Vec<String>) -> Self {
        let set = AttributeValue::Ss(members);
        let (name, value) = (self.name(attribute), self.placeholder(set));
        self.add.push(format!("{name} {value}"));
        self
    }

    pub(crate) fn remove_member(self, attribute: &str, member: &str) -> Self {
        self.remove_members(attribute, vec![member.to_owned()])
    }

    pub(crate) fn remove_members(mut self, attribute: &str, members: Vec<String>) -> Self {
        let set = AttributeValue::Ss(members);
        let (name, value) = (self.name(attribute), self.placeholder(set));
        self.delete.push(format!("{name} {value}"));
        self
    }

    pub(crate) fn when(mut self, condition: &str) -> Self {
        self.condition.and(condition);
        self
    }

    pub(crate) fn value(mut self, name: &str, value: AttributeValue) -> Self {
        self.condition.values.insert(name.to_owned(), value);
        self
    }

    /// Sets a condition with its names and values. DynamoDB rejects redundant parentheses, so it must be the only one.
    pub(crate) fn on(mut self, condition: Condition) -> Self {
        self.condition.text = condition.text;
        self.condition.names.extend(condition.names);
        self.condition.values.extend(condition.values);
        self
    }

    pub(crate) fn if_present(self) -> Self {
        self.when("attribute_exists(PK)")
    }

    /// Returns the key, the update expression, and the condition with the names and values of both expressions.
    pub(crate) fn build(self) -> (Key, String, Condition) {
        let clauses = [("SET", self.set), ("REMOVE", self.remove), ("ADD", self.add), ("DELETE", self.delete)];
        let text: Vec<String> = clauses
            .into_iter()
            .filter(|(_, actions)| !actions.is_empty())
            .map(|(keyword, actions)| format!("{keyword} {}", actions.join(", ")))
            .collect();
        (self.key, text.join(" "), self.condition)
    }
}
