//! One method of a namespace.

use crate::reading::{OwnError, last, last_part, own_errors, resolved};
use serde_json::{Map, Value};

use crate::Operation;
use crate::case::pascal_case;

use super::schema::Reading;
use super::text::{comment, list};
use super::types::is_list;

/// What all methods are made from.
pub(super) struct Source<'a> {
    pub(super) document: &'a Value,
    pub(super) reading: &'a Reading,
}

impl Source<'_> {
    /// Returns the parameters of an operation that stand in a place, such as `path`.
    pub(super) fn parameters<'b>(&'b self, operation: &'b Operation<'_>, place: &str) -> Vec<&'b Value> {
        let all = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        all.map(|parameter| resolved(parameter, self.document)).filter(|parameter| parameter["in"] == place).collect()
    }

    /// Returns the source text of a method. `query` is the name of the type of its query.
    pub(super) fn method(&self, operation: &Operation<'_>, query: Option<&str>) -> String {
        let name = last_part(operation.id());
        let ids = self.parameters(operation, "path");
        let mut parameters: Vec<String> = ids.iter().map(|id| self.id(id)).collect();
        let mut parts = Vec::new();
        if let Some((body, is_required)) = self.body(operation) {
            parameters.push(if is_required { format!("body: {body}") } else { format!("body: {body} = {{}}") });
            parts.push("body");
        }
        if let Some(query) = query {
            let is_required = self.parameters(operation, "query").iter().any(|parameter| parameter["required"] == true);
            parameters.push(if is_required { format!("query: {query}") } else { format!("query: {query} = {{}}") });
            parts.push("query");
        }
        let is_keyed = self.takes_key(operation);
        parameters.push(if is_keyed { "options?: PostOptions" } else { "options?: Options" }.to_owned());
        parts.extend(is_keyed.then_some("keyed: true"));

        let text = comment(2, &self.description(operation));
        let path = if ids.is_empty() {
            format!("\"{}\"", operation.path)
        } else {
            format!("path`{}`", operation.path.replace('{', "${"))
        };
        let (result, call) = self.call(operation, &path, &parts);
        text + &list(&format!("  {name}("), &parameters, &format!("): {result} {{")) + &call + "  }\n"
    }

    /// Returns the type of the result, and the statement that makes it.
    fn call(&self, operation: &Operation<'_>, path: &str, parts: &[&str]) -> (String, String) {
        if let Some(item) = self.item(operation) {
            let statement =
                list("    return this.core.list(", &[path.to_owned(), "query".to_owned(), "options".to_owned()], ");");
            return (format!("List<{item}>"), statement);
        }
        let sent = if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(", ")) };
        let arguments = [format!("\"{}\"", operation.method), path.to_owned(), sent, "options".to_owned()];
        (format!("Call<{}>", self.result(operation)), list("    return this.core.call(", &arguments, ");"))
    }

    fn id(&self, parameter: &Value) -> String {
        let name = parameter["name"].as_str().unwrap_or_default();
        format!("{name}: {}", self.reading.type_of(&parameter["schema"], false))
    }

    fn body(&self, operation: &Operation<'_>) -> Option<(String, bool)> {
        let body = operation.value.get("requestBody")?;
        let schema = &body["content"]["application/json"]["schema"];
        Some((self.reading.type_of(schema, false), body["required"] == true))
    }

    pub(super) fn takes_key(&self, operation: &Operation<'_>) -> bool {
        self.parameters(operation, "header").iter().any(|parameter| parameter["name"] == "Idempotency-Key")
    }

    /// Returns the type of a list's items, if the operation returns a page of one.
    fn item(&self, operation: &Operation<'_>) -> Option<String> {
        let name = self.results(operation).into_iter().next()?;
        let schema = &self.document["components"]["schemas"][&name];
        is_list(schema).then(|| self.reading.type_of(&schema["properties"]["data"]["items"], false))
    }

    fn result(&self, operation: &Operation<'_>) -> String {
        let names = self.results(operation);
        if names.is_empty() { "Record<string, unknown>".to_owned() } else { names.join(" | ") }
    }

    /// Returns the schemas of the successful responses, the first request's first.
    fn results(&self, operation: &Operation<'_>) -> Vec<String> {
        let mut names = Vec::new();
        let responses = operation.value["responses"].as_object().into_iter().flat_map(Map::iter);
        for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
            let schema = &resolved(response, self.document)["content"]["application/json"]["schema"];
            let name = schema["$ref"].as_str().map(last).unwrap_or_default().to_owned();
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns what a method does, and its own errors.
    fn description(&self, operation: &Operation<'_>) -> String {
        let summary = operation.value["summary"].as_str().unwrap_or_default();
        let mut text = format!("{summary}.");
        let more = operation.value["description"].as_str().unwrap_or_default();
        if more != text {
            text = format!("{text}\n{more}");
        }
        let errors: Vec<String> = self.errors(operation);
        if errors.is_empty() { text } else { format!("{text}\n{}", errors.join("\n")) }
    }

    fn errors(&self, operation: &Operation<'_>) -> Vec<String> {
        let own = own_errors(operation, self.document).into_iter();
        own.map(|OwnError { class, status, description }| format!("@throws {{{class}}} {status}: {description}."))
            .collect()
    }
}

/// Returns the name of the class of a namespace.
pub(super) fn class(namespace: &str) -> String {
    format!("{}Api", pascal_case(namespace))
}
