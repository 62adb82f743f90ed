//! A `.http` file with one request per operation, for the HTTP clients of editors.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::Operation;
use crate::operation::public_operations;

/// Returns the text of the file. Requests use `{{variables}}`, which are declared at its beginning.
pub(crate) fn requests(document: &Value) -> String {
    let mut variables = BTreeSet::new();
    let mut requests = String::new();
    for operation in public_operations(document) {
        request(&operation, &mut requests, &mut variables);
    }
    let mut file =
        String::from("# Generated from openapi.json. `make run` prints the values of the first variables.\n\n");
    file.push_str("@baseUrl = http://localhost:4566/_aws/execute-api/0a51a51a\n");
    for variable in variables {
        let _ = writeln!(file, "@{variable} =");
    }
    file + &requests
}

fn request(operation: &Operation<'_>, text: &mut String, variables: &mut BTreeSet<String>) {
    let credential = credential(operation);
    // The ids of chat messages and of SMS messages are different variables.
    let path = match operation.path.contains("/sms") {
        true => operation.path.replace("{messageId}", "{smsMessageId}"),
        false => operation.path.to_owned(),
    };
    variables.extend(credential.map(str::to_owned));
    variables.extend(path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())));
    let path = path.replace('{', "{{").replace('}', "}}");
    let query: Vec<String> = required_query(operation)
        .map(|name| {
            let variable = name.replace('.', "_");
            variables.insert(variable.clone());
            format!("{name}={{{{{variable}}}}}")
        })
        .collect();
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    let _ = writeln!(
        text,
        "\n### {}\n# @name {}",
        operation.value["summary"].as_str().unwrap_or_default(),
        variable(operation.id())
    );
    let _ = writeln!(text, "{} {{{{baseUrl}}}}{path}{query}", operation.method);
    if let Some(credential) = credential {
        let _ = writeln!(text, "Authorization: Bearer {{{{{credential}}}}}");
    }
    match body(operation) {
        Some(Body::Json(example)) => {
            let _ = writeln!(text, "Content-Type: application/json\n\n{example:#}");
        }
        Some(Body::File) => text.push_str(
            "Content-Type: multipart/form-data; boundary=boundary\n\n--boundary\nContent-Disposition: form-data; name=\"file\"; filename=\"photo.png\"\nContent-Type: image/png\n\n< ./photo.png\n--boundary--\n",
        ),
        None => {}
    }
}

/// Returns an operation's id as the name of a request: editors take no dots in names.
fn variable(id: &str) -> String {
    id.replace('.', "_")
}

pub(crate) enum Body<'a> {
    Json(&'a Value),
    File,
}

pub(crate) fn body<'a>(operation: &Operation<'a>) -> Option<Body<'a>> {
    let content = operation.value.get("requestBody")?.get("content")?;
    match content.get("application/json") {
        Some(json) => json.get("example").map(Body::Json),
        None => Some(Body::File),
    }
}

/// The variable that holds a credential for the operation.
pub(crate) fn credential<'a>(operation: &Operation<'a>) -> Option<&'a str> {
    let schemes = operation.value["security"].as_array()?;
    // Prefer the key of a test app: experiments then cost nothing.
    let accepted = |name: &str| schemes.iter().find(|scheme| !scheme[name].is_null());
    accepted("testAppKey")
        .or_else(|| accepted("adminKey"))
        .or(schemes.first())?
        .as_object()?
        .keys()
        .next()
        .map(String::as_str)
}

pub(crate) fn required_query<'a>(operation: &Operation<'a>) -> impl Iterator<Item = &'a str> {
    let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    parameters
        .filter(|parameter| parameter["in"] == "query" && parameter["required"] == true)
        .filter_map(|parameter| parameter["name"].as_str())
}
