//! Validates every response and every delivery in the tests against the OpenAPI document.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{LazyLock, Mutex};

use domain::ErrorCode;
use http::{HeaderMap, HeaderValue, Method};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::request::{Call, Reply};

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::new);

/// Panics unless the document allows the response.
#[track_caller]
pub fn check(call: &Call, reply: &Reply) {
    if let Err(broken) = CONTRACT.check(call, reply) {
        panic!("{} {} breaks the contract: {broken}\n{reply:?}", call.method, call.path);
    }
}

/// Panics unless the document's `webhooks` allow the delivery.
#[track_caller]
pub fn check_delivery(headers: &HeaderMap, body: &Value) {
    if let Err(broken) = CONTRACT.check_delivery(headers, body) {
        panic!("a delivery breaks the contract: {broken}\n{body}");
    }
}

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Panics unless the value is valid under the named schema of the document.
#[track_caller]
pub fn check_value(schema: &Value, value: &Value) {
    if let Err(broken) = CONTRACT.validate(schema, value) {
        panic!("{broken}\n{value}");
    }
}

struct Contract {
    document: Value,
    /// The document's components, which schemas refer to. Objects are closed, so that undocumented fields are detected.
    components: Value,
    paths: matchit::Router<String>,
    validators: Mutex<BTreeMap<String, &'static Validator>>,
    seen: Mutex<BTreeSet<String>>,
}

impl Contract {
    fn new() -> Contract {
        let document = contract::document();
        let mut paths = matchit::Router::new();
        for path in document["paths"].as_object().unwrap().keys() {
            paths.insert(path, path.clone()).unwrap();
        }
        let mut components = document["components"].clone();
        close(&mut components["schemas"]);
        Contract { document, components, paths, validators: Mutex::default(), seen: Mutex::default() }
    }

    fn check(&self, call: &Call, reply: &Reply) -> Result<(), String> {
        let status = reply.status.as_u16();
        let path = call.path.split('?').next().unwrap_or_default();
        let found = self.paths.at(path).ok().filter(|found| found.params.iter().all(|(_, value)| !value.is_empty()));
        let operation = found.and_then(|found| {
            let operation = self.document["paths"][found.value].get(call.method.as_str().to_lowercase())?;
            Some((found.value, operation))
        });
        let Some((template, operation)) = operation else { return self.check_unknown(call, reply) };
        let is_on_demand = is_on_demand(call, reply);
        let key = if is_on_demand { "default".to_owned() } else { status.to_string() };
        let response = self.resolve(&operation["responses"][&key]);
        if response.is_null() {
            return Err(format!("{status} is not documented"));
        }
        self.check_headers(&response["headers"], &reply.headers)?;
        self.check_content(&response["content"], reply)?;
        if is_on_demand {
            return Ok(());
        }
        check_code(reply)?;
        if reply.status.is_success() {
            self.check_request(operation, call)?;
        }
        self.remember(&format!("{} {template} {status}", call.method));
        Ok(())
    }

    /// Checks the response to a request that matches no operation.
    fn check_unknown(&self, call: &Call, reply: &Reply) -> Result<(), String> {
        if ![400, 404, 405].contains(&reply.status.as_u16()) {
            return Err("an operation that the document does not have".to_owned());
        }
        self.check_headers(&json!({}), &reply.headers)?;
        if call.method == Method::HEAD {
            return Ok(());
        }
        self.validate(&json!({"$ref": "#/components/schemas/ErrorBody"}), &reply.json())
    }

    /// Checks that the document allows an accepted request.
    fn check_request(&self, operation: &Value, call: &Call) -> Result<(), String> {
        let schema = operation.pointer("/requestBody/content/application~1json/schema");
        match schema {
            Some(schema) if !call.body.is_empty() => {
                // Receivers in the test's process use plain http, which only a local stack accepts.
                let text = String::from_utf8_lossy(&call.body).replace("http://127.0.0.1", "https://127.0.0.1");
                let text = text.replace("http://localhost", "https://localhost");
                let body = serde_json::from_str(&text).map_err(|error| error.to_string())?;
                self.validate(schema, &body).map_err(|broken| format!("request: {broken}"))
            }
            Some(_) if operation["requestBody"]["required"] == true => Err("taken without its body".to_owned()),
            _ => Ok(()),
        }
    }

    fn check_headers(&self, documented: &Value, sent: &HeaderMap) -> Result<(), String> {
        for (name, header) in documented.as_object().into_iter().flatten() {
            let header = self.resolve(header);
            let Some(value) = sent.get(name) else {
                if header["required"] == true { return Err(format!("no {name}")) } else { continue }
            };
            let text = value.to_str().map_err(|error| format!("{name}: {error}"))?;
            let is_integer = header["schema"]["type"] == "integer";
            let value =
                if is_integer { text.parse().map_or(json!(text), |number: u64| json!(number)) } else { json!(text) };
            self.validate(&header["schema"], &value).map_err(|broken| format!("{name}: {broken}"))?;
        }
        if !sent.contains_key("x-request-id")
            || documented.get("Cache-Control").is_none() && sent.get("cache-control") != Some(&NO_STORE)
        {
            return Err("no X-Request-Id, or an answer that may be stored".to_owned());
        }
        for name in ["retry-after", "idempotency-replayed", "www-authenticate", "location", "etag"] {
            let is_documented =
                documented.as_object().is_some_and(|all| all.keys().any(|key| key.eq_ignore_ascii_case(name)));
            if sent.contains_key(name) && !is_documented {
                return Err(format!("{name} is not documented"));
            }
        }
        Ok(())
    }

    fn check_content(&self, documented: &Value, reply: &Reply) -> Result<(), String> {
        let sent = reply.header("content-type").unwrap_or_default();
        let Some(content) = documented.as_object() else {
            return if reply.text.is_empty() { Ok(()) } else { Err("a body that is not documented".to_owned()) };
        };
        let essence = sent.split(';').next().unwrap_or_default();
        let media = content.get(essence).ok_or_else(|| format!("{sent} is not documented"))?;
        if essence == "application/json" {
            return self.validate(&media["schema"], &reply.json());
        }
        Ok(())
    }

    fn check_delivery(&self, headers: &HeaderMap, body: &Value) -> Result<(), String> {
        let name = body["type"].as_str().unwrap_or_default();
        let operation = &self.document["webhooks"][name]["post"];
        let schema = operation.pointer("/requestBody/content/application~1json/schema").ok_or("no such webhook")?;
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = self.resolve(parameter);
            let name = parameter["name"].as_str().unwrap_or_default();
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            let Some(value) = value else {
                if parameter["required"] == true {
                    return Err(format!("no {name}"));
                }
                continue;
            };
            self.validate(&parameter["schema"], &json!(value)).map_err(|broken| format!("{name}: {broken}"))?;
        }
        self.validate(schema, body)
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        value["$ref"].as_str().map_or(value, |reference| self.document.pointer(&reference[1..]).unwrap())
    }

    fn validate(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let validator = self.validator(schema);
        let broken: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        if broken.is_empty() { Ok(()) } else { Err(broken.join("; ")) }
    }

    fn validator(&self, schema: &Value) -> &'static Validator {
        let mut validators = self.validators.lock().unwrap();
        validators.entry(schema.to_string()).or_insert_with(|| {
            let mut root = json!({"allOf": [schema], "components": self.components});
            close(&mut root["allOf"]);
            let options =
                jsonschema::options().with_draft(jsonschema::Draft::Draft202012).should_validate_formats(true);
            Box::leak(Box::new(options.build(&root).unwrap()))
        })
    }

    /// Records the response, for the check after all tests that every documented response occurs.
    fn remember(&self, line: &str) {
        let Ok(path) = std::env::var("CONTRACT_SEEN") else { return };
        if self.seen.lock().unwrap().insert(line.to_owned()) {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    }
}

/// Returns whether the response is the error that the request asked for.
fn is_on_demand(call: &Call, reply: &Reply) -> bool {
    let body: Value = serde_json::from_str(&reply.text).unwrap_or_default();
    let code = body["error"]["code"].as_str();
    code.is_some_and(|code| call.headers.get("playground-error").is_some_and(|asked| asked == code))
}

/// The page of error codes says of reserved codes that no operation returns them.
fn check_code(reply: &Reply) -> Result<(), String> {
    let body: Value = serde_json::from_str(&reply.text).unwrap_or_default();
    let reserved = ErrorCode::ALL.iter().find(|code| code.is_reserved() && body["error"]["code"] == code.as_str());
    reserved.map_or(Ok(()), |code| Err(format!("{code} is reserved")))
}

/// Closes all objects. The document leaves them open so that responses may gain fields later; today there are no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if is_object_of_fields(object) {
                object.entry("additionalProperties").or_insert(json!(false));
            }
            object.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn is_object_of_fields(schema: &Map<String, Value>) -> bool {
    schema.get("properties").is_some_and(Value::is_object) && schema.get("type") == Some(&json!("object"))
}
