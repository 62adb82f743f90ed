//! The page of a group: its operations, and the objects that they take and return.

use std::fmt::Write as _;

use serde_json::Value;

use crate::reading::resolved;

use super::links::{Place, anchor};
use super::operation::is_common;
use super::{Group, collect, event, objects, operation};

const COMMON: &str = "The [introduction](../api_reference.md) says what all operations have in common: credentials, lists, errors, retries, and how the libraries make `client`.";

pub(super) fn page(group: &Group<'_>, groups: &[Group<'_>], document: &Value) -> String {
    let mut text = format!("# {}\n\n{}\n\n{COMMON}\n\n", group.name, group.description);
    for each in &group.operations {
        let summary = each.value["summary"].as_str().unwrap_or_default();
        let _ = writeln!(text, "- [{summary}](#{}): `{} {}`", anchor(summary), each.method, each.path);
    }
    group.operations.iter().for_each(|each| text.push_str(&operation::section(each, document)));

    let mut names = names(group, document);
    let has_events = group.name == event::GROUP;
    if has_events {
        event::collect_data(document, &mut names);
        text.push_str(&event::section(document));
    }
    if !names.is_empty() {
        let _ = write!(text, "\n## Objects\n{}", objects(names, document));
    }
    let place = if has_events { Place::Events } else { Place::Page };
    place.linked(&text, groups)
}

/// Returns the names of the schemas that the operations take and return.
fn names<'a>(group: &Group<'a>, document: &'a Value) -> Vec<&'a str> {
    let mut names = Vec::new();
    for operation in &group.operations {
        let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let own = parameters.map(|each| resolved(each, document)).filter(|each| !is_common(each));
        own.for_each(|each| collect(&each["schema"], document, &mut names));
        if let Some(body) = operation.value.get("requestBody") {
            collect(body, document, &mut names);
        }
        let responses = operation.value["responses"].as_object().into_iter().flatten();
        for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
            collect(&resolved(response, document)["content"], document, &mut names);
        }
    }
    names
}
