//! One operation: its path, what it takes, what it returns, and how the libraries call it.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::Operation;
use crate::reading::{own_errors, resolved};

use super::schema::{described, type_of};
use super::{example, on_one_line};

/// Headers that operations have in common, which the introduction describes.
const COMMON: [&str; 2] = ["Idempotency-Key", "Playground-Error"];

pub(super) fn is_common(parameter: &Value) -> bool {
    parameter["name"].as_str().is_some_and(|name| COMMON.contains(&name))
}

pub(super) fn section(operation: &Operation<'_>, document: &Value) -> String {
    let text = |field: &str| operation.value[field].as_str().unwrap_or_default().trim();
    let mut section = format!(
        "\n## {}\n\n`{} {}`\n\n{}\n\n- Name: `{}`\n- Credentials: {}\n",
        text("summary"),
        operation.method,
        operation.path,
        text("description"),
        operation.id(),
        credentials(operation, document)
    );
    section.push_str(&parameters(operation, document));
    section.push_str(&body(operation));
    section.push_str(&responses(operation, document));
    section.push_str(&samples(operation));
    section
}

/// Returns the kinds of credentials that the operation accepts.
fn credentials(operation: &Operation<'_>, document: &Value) -> String {
    let schemes = operation.value["security"].as_array().into_iter().flatten().filter_map(Value::as_object);
    let described = |name: &String| {
        let scheme = &document["components"]["securitySchemes"][name];
        match (scheme["bearerFormat"].as_str(), scheme["name"].as_str()) {
            (Some(format), _) => format!("`{format}`"),
            (None, Some(cookie)) => format!("the cookie `{cookie}`, which signing in sets"),
            (None, None) => name.clone(),
        }
    };
    let kinds: Vec<String> = schemes.flat_map(Map::keys).map(described).collect();
    if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") }
}

fn parameters(operation: &Operation<'_>, document: &Value) -> String {
    let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let parameters = parameters.map(|parameter| resolved(parameter, document));
    let (common, own): (Vec<&Value>, Vec<&Value>) = parameters.partition(|each| is_common(each));
    let names: Vec<String> = common.iter().filter_map(|each| Some(format!("`{}`", each["name"].as_str()?))).collect();
    let common = if names.is_empty() { String::new() } else { format!("- Headers: {}\n", names.join(", ")) };
    let own: String = own.into_iter().map(parameter).collect();
    if own.is_empty() { common } else { format!("{common}\nParameters:\n\n{own}") }
}

fn parameter(parameter: &Value) -> String {
    let part = |field: &str| parameter[field].as_str().unwrap_or_default();
    let (kind, description) = (type_of(&parameter["schema"]), on_one_line(part("description")));
    format!("- `{}` ({}, {kind}, {}): {description}\n", part("name"), part("in"), necessity(parameter))
}

fn necessity(value: &Value) -> &'static str {
    if value["required"] == true { "required" } else { "optional" }
}

fn body(operation: &Operation<'_>) -> String {
    let Some(body) = operation.value.get("requestBody") else { return String::new() };
    let mut text = String::new();
    for (kind, content) in body["content"].as_object().into_iter().flatten() {
        let description = on_one_line(body["description"].as_str().unwrap_or_default());
        let described = described(&content["schema"], &description);
        let _ = writeln!(text, "\nBody (`{kind}`, {}): {described}", necessity(body));
        text.push_str(&example(&content["example"]));
    }
    text
}

fn responses(operation: &Operation<'_>, document: &Value) -> String {
    let all = operation.value["responses"].as_object().into_iter().flat_map(Map::iter);
    let all: Vec<(&String, &Value)> = all.map(|(status, response)| (status, resolved(response, document))).collect();
    let mut text = "\nResponses:\n\n".to_owned();
    let is_success = |status: &str| status.starts_with(['2', '3']);
    for (status, response) in all.iter().filter(|(status, _)| is_success(status)) {
        let description = on_one_line(response["description"].as_str().unwrap_or_default());
        let _ = writeln!(text, "- `{status}`: {}", described(&content(response)["schema"], &description));
    }

    let own = own_errors(operation, document);
    for error in &own {
        let response =
            all.iter().find(|(status, _)| *status == error.status).map_or(&Value::Null, |(_, response)| *response);
        let _ = writeln!(text, "- `{}`: {}{}", error.status, on_one_line(error.description), code(response));
    }
    let is_general = |status: &str| status.starts_with(['4', '5']) && own.iter().all(|error| error.status != status);
    let general = all.iter().filter(|(status, _)| is_general(status)).map(|(status, _)| format!("`{status}`"));
    let general: Vec<String> = general.collect();
    let _ = writeln!(text, "- [as everywhere](../api_reference.md#statuses-of-errors): {}", general.join(", "));
    text + &shown(&all)
}

/// Returns the example of the most usual response: 201 rather than the 200 of a repeated request or of a dry run.
fn shown(responses: &[(&String, &Value)]) -> String {
    let of_status = |wanted: &str| responses.iter().find(|(status, _)| *status == wanted);
    let Some((status, response)) = of_status("201").or_else(|| of_status("200")).or_else(|| of_status("202")) else {
        return String::new();
    };
    let content = content(response);
    let named = content["examples"].as_object().and_then(|examples| examples.values().next());
    let block = example(named.map_or(&content["example"], |named| &named["value"]));
    if block.is_empty() { block } else { format!("\nExample of `{status}`:\n{block}") }
}

fn content(response: &Value) -> &Value {
    response["content"].as_object().and_then(|content| content.values().next()).unwrap_or(&Value::Null)
}

/// Returns the code of the error in the example, if it has one.
fn code(response: &Value) -> String {
    let code = content(response)["example"]["error"]["code"].as_str();
    code.map_or_else(String::new, |code| format!(" (for example [`{code}`](api_reference/error-codes#{code}))"))
}

/// Returns the calls by the libraries, without the lines that make the client.
fn samples(operation: &Operation<'_>) -> String {
    let samples = operation.value.get("x-codeSamples").and_then(Value::as_array).into_iter().flatten();
    let mut text = String::new();
    for sample in samples {
        let part = |field: &str| sample[field].as_str().unwrap_or_default();
        let source = part("source");
        let call = source.split_once("Messaging()").map_or(source, |(_, call)| call.trim_start_matches(';'));
        let _ = write!(text, "\n```{}\n{}\n```\n", part("lang").to_lowercase(), call.trim());
    }
    text
}
