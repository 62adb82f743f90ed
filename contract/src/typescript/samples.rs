//! Code samples of the reference: each operation, called by its method with the recorded request.

use crate::reading::{example, resolved};
use serde_json::{Map, Value, json};

use crate::Operation;
use crate::operation::public_operations;

use super::text::{key, literal};

/// What stands before each call. Key and address come from the environment.
const BEGINNING: &str = "import { Messaging } from \"@messaging-api/client\";\n\nconst client = new Messaging();\n";
/// The width of a sample's line, so that the reference need not scroll.
const COLUMNS: usize = 80;
/// The query parameter that pages of a list take.
const CURSOR: &str = "cursor";
/// The operation whose body is a form: its method takes a path.
const UPLOAD: &str = "media.upload";

/// Adds a sample to each operation of the library.
pub(crate) fn add(document: &mut Value) {
    let samples: Vec<(String, String, String)> = public_operations(document)
        .map(|operation| (operation.path.to_owned(), operation.method.to_lowercase(), sample(&operation, document)))
        .collect();
    for (path, method, source) in samples {
        let operation = &mut document["paths"][path][method];
        let sample = json!({"lang": "TypeScript", "label": "TypeScript", "source": source});
        match operation["x-codeSamples"].as_array_mut() {
            Some(samples) => samples.push(sample),
            None => operation["x-codeSamples"] = json!([sample]),
        }
    }
}

fn sample(operation: &Operation<'_>, document: &Value) -> String {
    let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let parameters: Vec<&Value> = parameters.map(|parameter| resolved(parameter, document)).collect();
    let ids = parameters.iter().filter(|parameter| parameter["in"] == "path");
    let mut arguments: Vec<String> = ids.map(|id| object(example(id), 0)).collect();
    if let Some(body) = operation.value.get("requestBody") {
        arguments.push(object(&body["content"]["application/json"]["example"], 0));
    }
    let query = parameters.iter().filter(|parameter| parameter["in"] == "query" && parameter["required"] == true);
    let query: Map<String, Value> =
        query.filter_map(|each| Some((each["name"].as_str()?.to_owned(), example(each).clone()))).collect();
    if !query.is_empty() {
        arguments.push(object(&Value::Object(query), 0));
    }
    if operation.id() == UPLOAD {
        arguments = vec![literal("photo.png")];
    }

    let call = format!("client.{}({})", operation.id(), arguments.join(", "));
    let is_list = parameters.iter().any(|parameter| parameter["name"] == CURSOR);
    match is_list {
        true => format!("{BEGINNING}for await (const item of {call}) {{\n  console.log(item);\n}}\n"),
        false => format!("{BEGINNING}const result = await {call};\nconsole.log(result);\n"),
    }
}

/// Returns a value as a literal: on one line, if it is short.
fn object(value: &Value, indent: usize) -> String {
    let line = compact(value);
    if indent + line.chars().count() <= COLUMNS {
        return line;
    }
    let inner = " ".repeat(indent + 2);
    let end = " ".repeat(indent);
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{inner}{}: {},\n", key(name), object(value, indent + 2)))
                .collect();
            format!("{{\n{}{end}}}", fields.concat())
        }
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{inner}{},\n", object(item, indent + 2))).collect();
            format!("[\n{}{end}]", items.concat())
        }
        _ => line,
    }
}

fn compact(value: &Value) -> String {
    match value {
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{}: {}", key(name), compact(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(", ")),
        _ => value.to_string(),
    }
}
