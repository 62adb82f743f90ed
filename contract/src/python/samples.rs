//! Code samples of the reference: each operation, called by its method with the recorded request.

use crate::reading::{example, resolved};
use serde_json::{Value, json};

use crate::Operation;
use crate::operation::public_operations;

use super::schema::literal;
use super::text::attribute;

/// What stands before each call. Key and address come from the environment.
const BEGINNING: &str = "from messaging_api import Messaging\n\nclient = Messaging()\n";
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
        let sample = json!({"lang": "Python", "label": "Python", "source": source});
        let samples = &mut document["paths"][path][method]["x-codeSamples"];
        match samples.as_array_mut() {
            Some(samples) => samples.push(sample),
            None => *samples = json!([sample]),
        }
    }
}

fn sample(operation: &Operation<'_>, document: &Value) -> String {
    let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let parameters: Vec<&Value> = parameters.map(|parameter| resolved(parameter, document)).collect();
    let named = |place: &'static str| parameters.iter().filter(move |parameter| parameter["in"] == place);
    let mut arguments: Vec<(String, &Value)> = named("path").map(|id| (String::new(), example(id))).collect();
    let body = operation.value.get("requestBody").map(|body| &body["content"]["application/json"]["example"]);
    let fields = body.and_then(Value::as_object).into_iter().flatten();
    arguments.extend(fields.map(|(name, value)| (format!("{}=", attribute(name)), value)));
    let query = named("query").filter(|parameter| parameter["required"] == true);
    arguments.extend(query.filter_map(|each| Some((format!("{}=", attribute(each["name"].as_str()?)), example(each)))));
    let photo = json!("photo.png");
    if operation.id() == UPLOAD {
        arguments = vec![(String::new(), &photo)];
    }

    let names: Vec<String> = operation.id().split('.').map(attribute).collect();
    let method = format!("client.{}", names.join("."));
    let is_list = parameters.iter().any(|parameter| parameter["name"] == CURSOR);
    match is_list {
        true => format!("{BEGINNING}for item in {}:\n    print(item)\n", call(&method, &arguments, 12)),
        false => format!("{BEGINNING}result = {}\nprint(result)\n", call(&method, &arguments, 9)),
    }
}

/// Returns a call: on one line if it is short, which begins in this column.
fn call(method: &str, arguments: &[(String, &Value)], column: usize) -> String {
    let short: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}{}", compact(value))).collect();
    let line = format!("{method}({})", short.join(", "));
    if column + line.chars().count() < COLUMNS {
        return line;
    }
    let lines: Vec<String> = arguments
        .iter()
        .map(|(name, value)| format!("    {name}{},\n", object(value, 4, 4 + name.chars().count())))
        .collect();
    format!("{method}(\n{})", lines.concat())
}

/// Returns a value as a literal that begins in a column of a line with an indent: on one line, if it is short.
fn object(value: &Value, indent: usize, column: usize) -> String {
    let line = compact(value);
    if column + line.chars().count() < COLUMNS {
        return line;
    }
    let (inner, end) = (" ".repeat(indent + 4), " ".repeat(indent));
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| {
                    let name = format!("{}: ", Value::from(name.as_str()));
                    let column = indent + 4 + name.chars().count();
                    format!("{inner}{name}{},\n", object(value, indent + 4, column))
                })
                .collect();
            format!("{{\n{}{end}}}", fields.concat())
        }
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{inner}{},\n", object(item, indent + 4, indent + 4))).collect();
            format!("[\n{}{end}]", items.concat())
        }
        _ => line,
    }
}

fn compact(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), compact(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(", ")),
        _ => literal(value),
    }
}
