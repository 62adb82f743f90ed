//! The API reference as Markdown, for programs that read it: the introduction, a page for each group of operations, the error codes,
//! and llms.txt, which lists the pages. The function `reference` serves them at the paths that they have below docs/.

mod event;
mod group;
mod introduction;
mod links;
mod list;
mod operation;
mod schema;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::Operation;
use crate::operation::public_operations;
use links::Place;

const INTRODUCTION: &str = "docs/api_reference.md";
const FOLDER: &str = "docs/api_reference";
/// The list of all pages (<https://llmstxt.org>).
const LIST: &str = "docs/llms.txt";

/// A group of operations: a tag of the document.
struct Group<'a> {
    name: &'a str,
    description: &'a str,
    operations: Vec<Operation<'a>>,
}

impl Group<'_> {
    /// The name of the group's page, without its extension.
    fn page(&self) -> String {
        links::anchor(self.name)
    }
}

/// Returns the path and text of each page.
pub(crate) fn files(document: &Value) -> Vec<(String, String)> {
    let groups: Vec<Group<'_>> = groups(document).collect();
    let pages = groups.iter().map(|each| (each.page(), group::page(each, &groups, document)));
    let pages: Vec<(String, String)> = pages.collect();
    let list = list::page(document, groups.iter().zip(&pages).map(|(group, (_, text))| (group, text.len())));
    let codes = ("error-codes".to_owned(), Place::Page.linked(&reference::error_codes(), &groups));
    let files = pages.into_iter().chain([codes]).map(|(name, text)| (format!("{FOLDER}/{name}.md"), text));
    files.chain([(INTRODUCTION.to_owned(), introduction::page(document, &groups)), (LIST.to_owned(), list)]).collect()
}

fn groups(document: &Value) -> impl Iterator<Item = Group<'_>> {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.filter_map(|tag| {
        let name = tag["name"].as_str()?;
        let is_of_group = |operation: &Operation<'_>| operation.value["tags"][0] == name;
        let operations = public_operations(document).filter(is_of_group).collect();
        Some(Group { name, description: tag["description"].as_str()?, operations })
    })
}

/// Adds the names of the schemas that a value refers to, and of those that they refer to, in the order of their first use. Events have
/// a page of their own.
fn collect<'a>(value: &'a Value, document: &'a Value, names: &mut Vec<&'a str>) {
    match value {
        Value::Object(object) => {
            let name = object.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(SCHEMAS));
            if let Some(name) = name.filter(|name| *name != event::UNION && !names.contains(name)) {
                names.push(name);
                collect(&document["components"]["schemas"][name], document, names);
            }
            // Examples are no schemas, and the mapping of a union repeats its members.
            let is_schema = |(key, _): &(&String, &Value)| !["example", "examples", "mapping"].contains(&key.as_str());
            object.iter().filter(is_schema).for_each(|(_, inner)| collect(inner, document, names));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, document, names)),
        _ => {}
    }
}

const SCHEMAS: &str = "#/components/schemas/";

/// Returns the sections about the schemas with these names.
fn objects(names: Vec<&str>, document: &Value) -> String {
    names.into_iter().map(|name| schema::section(name, &document["components"]["schemas"][name])).collect()
}

/// Returns text as one paragraph, as an item of a list needs it.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns an example as a block of code.
fn example(value: &Value) -> String {
    if value.is_object() { format!("\n```json\n{value:#}\n```\n") } else { String::new() }
}
