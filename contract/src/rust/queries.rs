//! The queries of operations. Operations with the same parameters share one.

use std::collections::BTreeMap;

use serde_json::Value;

use super::GENERATED;
use super::text::{comment, name};
use super::types::{SERDE_OPTIONAL, type_of};
use crate::Operation;
use crate::case::{camel_case, pascal_case};

/// The parameters of a query that only chooses a page.
const PAGE: [&str; 2] = ["limit", "cursor"];

#[derive(Default)]
pub(super) struct Queries {
    text: String,
    names: BTreeMap<String, String>,
}

impl Queries {
    /// Returns the name of the type of a query with these parameters, if there are any.
    pub(super) fn of(&mut self, operation: &Operation<'_>, parameters: &[&Value]) -> Option<String> {
        if parameters.is_empty() {
            return None;
        }
        let fields: String = parameters.iter().map(|parameter| field(parameter)).collect();
        if let Some(known) = self.names.get(&fields) {
            return Some(known.clone());
        }

        let is_page = parameters.iter().all(|parameter| PAGE.iter().any(|name| parameter["name"] == *name));
        let name = if is_page { "PageQuery".to_owned() } else { format!("{}Query", pascal_case(operation.id())) };
        let about = match is_page {
            true => "Which page of a list, and how many objects it has.".to_owned(),
            false => format!("The query of `{}`.", operation.id()),
        };
        self.text.push_str(&format!(
            "\n{}#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]\n#[serde(rename_all = \"camelCase\")]\npub struct {name} {{\n{fields}}}\n",
            comment(0, &about)
        ));
        self.names.insert(fields, name.clone());
        Some(name)
    }

    /// Returns the source text of the types.
    pub(super) fn module(self) -> String {
        format!(
            "//! The queries of methods.\n{GENERATED}\nuse serde::{{Deserialize, Serialize}};\n\nuse super::types::*;\n{}",
            self.text
        )
    }
}

fn field(parameter: &Value) -> String {
    let wire = parameter["name"].as_str().unwrap_or_default();
    let mut text = comment(4, parameter["description"].as_str().unwrap_or_default());
    let rust = name(wire);
    if camel_case(rust.trim_start_matches("r#")) != wire {
        text.push_str(&format!("    #[serde(rename = \"{wire}\")]\n"));
    }
    let kind = type_of(&parameter["schema"]);
    match parameter["required"] == true {
        true => text + &format!("    pub {rust}: {kind},\n"),
        false => text + &format!("{SERDE_OPTIONAL}    pub {rust}: Option<{kind}>,\n"),
    }
}
