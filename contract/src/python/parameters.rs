//! The parameters of a method: the ids of the path, the fields of the body or query by keyword, and options.

use crate::reading::resolved;
use serde_json::Value;

use crate::Operation;

use super::schema::Schemas;
use super::text::attribute;
use super::types::is_nullable;

/// A field of a body or a query.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) description: String,
    pub(super) is_required: bool,
}

impl Field {
    /// Whether `None` is a value, so that it cannot mean that the field is left out.
    pub(super) fn is_nullable(&self) -> bool {
        !self.is_required && is_nullable(&self.schema)
    }

    /// Returns the parameter with its type and default.
    pub(super) fn parameter(&self, schemas: &Schemas<'_>) -> String {
        let (name, kind) = (attribute(&self.name), schemas.type_of(&self.schema, false));
        match (self.is_required, self.is_nullable()) {
            (true, _) => format!("{name}: {kind}"),
            (false, true) => format!("{name}: {kind} | NotGiven = NOT_GIVEN"),
            (false, false) => format!("{name}: {kind} | None = None"),
        }
    }
}

/// Returns the parameters of an operation that stand in a place, such as `path`.
pub(super) fn in_place<'a>(operation: &'a Operation<'_>, place: &str, document: &'a Value) -> Vec<&'a Value> {
    let all = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    all.map(|parameter| resolved(parameter, document)).filter(|parameter| parameter["in"] == place).collect()
}

/// Returns the fields of the body, those that are required first.
pub(super) fn body(operation: &Operation<'_>, schemas: &Schemas<'_>) -> Option<Vec<Field>> {
    let schema = &operation.value.get("requestBody")?["content"]["application/json"]["schema"];
    if schema.is_null() {
        return None;
    }
    let reference = schema["$ref"].as_str().map_or(schema.clone(), |name| serde_json::json!({"$ref": name}));
    let properties = schemas.properties_of_body(&reference);
    let fields = properties.into_iter().map(|(name, schema)| Field {
        is_required: schemas.is_required(&reference, &name),
        description: schema["description"].as_str().unwrap_or_default().to_owned(),
        name,
        schema,
    });
    Some(sorted(fields.collect()))
}

/// Returns the parameters of the query, those that are required first.
pub(super) fn query(operation: &Operation<'_>, document: &Value) -> Vec<Field> {
    let parameters = in_place(operation, "query", document).into_iter();
    let fields = parameters.map(|parameter| Field {
        name: parameter["name"].as_str().unwrap_or_default().to_owned(),
        schema: parameter["schema"].clone(),
        description: parameter["description"].as_str().unwrap_or_default().to_owned(),
        is_required: parameter["required"] == true,
    });
    sorted(fields.collect())
}

fn sorted(mut fields: Vec<Field>) -> Vec<Field> {
    fields.sort_by_key(|field| !field.is_required);
    fields
}
