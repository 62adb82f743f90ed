//! The introduction: what all operations have in common, and a list of them.

use std::fmt::Write as _;

use serde_json::Value;

use crate::errors::RESPONSES;

use super::links::{Place, anchor};
use super::{Group, collect, objects};

pub(super) fn page(document: &Value, groups: &[Group<'_>]) -> String {
    let guide = document["info"]["description"].as_str().unwrap_or_default().trim_end();
    let text = format!("# Messaging API reference\n\n{guide}\n{}\n{}", errors(document), operations(groups));
    Place::Introduction.linked(&text, groups)
}

/// Returns the statuses of errors, and the fields of their bodies.
fn errors(document: &Value) -> String {
    let mut text = "\n## Statuses of errors\n\nWhat a status means in general. The page of an operation names the statuses that it can return.\n\n| status | meaning |\n|---|---|\n".to_owned();
    for response in &RESPONSES {
        let _ = writeln!(text, "| {} | {} |", response.status, response.description);
    }
    let mut names = vec![ERROR];
    collect(&document["components"]["schemas"][ERROR], document, &mut names);
    text + "\n## Bodies of errors\n" + &objects(names, document)
}

const ERROR: &str = "ErrorBody";

fn operations(groups: &[Group<'_>]) -> String {
    let mut text = "## Operations\n".to_owned();
    for group in groups {
        let page = Place::Introduction.page(&group.page());
        let _ = writeln!(text, "\n### [{}]({page})\n\n{}\n", group.name, group.description);
        for each in &group.operations {
            let summary = each.value["summary"].as_str().unwrap_or_default();
            let _ = writeln!(text, "- [{summary}]({page}#{}): `{} {}`", anchor(summary), each.method, each.path);
        }
    }
    text
}
