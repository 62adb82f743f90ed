//! The variables of texts, `{{1}}` or `{{name}}`, and their examples.

use serde_json::Value;

use super::ParameterFormat;
use super::fields::{Fields, line};
use crate::Failure;

const VARIABLE_LENGTH: usize = 60;
const EXAMPLE_LENGTH: usize = 1024;

/// Returns the variables of a text, each once. Numbers must be 1, 2 and so on without gaps.
pub(super) fn variables(text: &str, param: &str, format: ParameterFormat) -> Result<Vec<String>, Failure> {
    let mut found: Vec<String> = Vec::new();
    for part in text.split("{{").skip(1) {
        let Some((name, _)) = part.split_once("}}") else {
            let message = format!("{param} has {{{{ without }}}}. Write a variable as {}.", format.sample());
            return Err(Failure::invalid(param, message));
        };
        expect_name(name, param, format)?;
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    if format == ParameterFormat::Positional {
        found.sort_by_key(|name| name.parse::<u32>().unwrap_or(u32::MAX));
        let gap = (1_usize..).zip(&found).find(|(expected, name)| **name != expected.to_string());
        if let Some((expected, _)) = gap {
            let message = format!(
                "{param} lacks {{{{{expected}}}}}. Number the variables {{{{1}}}}, {{{{2}}}} and so on without gaps."
            );
            return Err(Failure::invalid(param, message));
        }
    }
    Ok(found)
}

fn expect_name(name: &str, param: &str, format: ParameterFormat) -> Result<(), Failure> {
    let is_number = !name.is_empty() && name.len() <= 3 && name.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = (1..=VARIABLE_LENGTH).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let (is_valid, hint) = match format {
        ParameterFormat::Positional => {
            (is_number && !name.starts_with('0'), " For names, set parameterFormat to NAMED.")
        }
        ParameterFormat::Named => (is_name, " For numbers, set parameterFormat to POSITIONAL."),
    };
    if is_valid {
        return Ok(());
    }

    let shown: String = name.chars().take(VARIABLE_LENGTH).collect();
    let other = if is_number || is_name { hint } else { "" };
    let message = format!("{param} has the variable {{{{{shown}}}}}. Write a variable as {}.{other}", format.sample());
    Err(Failure::invalid(param, message))
}

/// Fails if a text begins or ends with a variable.
pub(super) fn expect_text_around(text: &str, param: &str) -> Result<(), Failure> {
    let trimmed = text.trim();
    if !trimmed.starts_with("{{") && !trimmed.ends_with("}}") {
        return Ok(());
    }
    let message = format!("{param} must not begin or end with a variable. Add text before or after it.");
    Err(Failure::invalid(param, message))
}

/// The fields of `example` in which a component has its examples.
pub(super) struct ExampleFields {
    pub(super) positional: &'static str,
    pub(super) named: &'static str,
    /// Whether the positional examples are a list in a list.
    pub(super) is_nested: bool,
}

/// Validates the examples of a component: one for each variable, and none if there are no variables.
pub(super) fn check_examples(
    component: &Fields<'_>,
    variables: &[String],
    format: ParameterFormat,
    fields: &ExampleFields,
) -> Result<(), Failure> {
    let param = component.param("example");
    let Some(example) = component.object("example")? else {
        return if variables.is_empty() { Ok(()) } else { Err(missing(&param, variables, format, fields)) };
    };
    if variables.is_empty() {
        return Err(Failure::invalid(&param, format!("{param} is not allowed: the text has no variables. Omit it.")));
    }
    match format {
        ParameterFormat::Positional => {
            example.expect_only(&[fields.positional])?;
            let (mut list, mut at) = (
                example.list(fields.positional)?.ok_or_else(|| missing(&param, variables, format, fields))?,
                example.param(fields.positional),
            );
            if fields.is_nested {
                let [Value::Array(only)] = list else {
                    let message = format!("{at} must be a list with one list of examples: {}.", fields.sample(format));
                    return Err(Failure::invalid(&at, message));
                };
                (list, at) = (only, format!("{at}[0]"));
            }
            expect_count(list.len(), variables, &at)?;
            list.iter().enumerate().try_for_each(|(index, value)| example_text(value, &format!("{at}[{index}]")))
        }
        ParameterFormat::Named => {
            example.expect_only(&[fields.named])?;
            let list = example.list(fields.named)?.ok_or_else(|| missing(&param, variables, format, fields))?;
            check_named(list, variables, &example.param(fields.named))
        }
    }
}

fn check_named(list: &[Value], variables: &[String], at: &str) -> Result<(), Failure> {
    let mut seen: Vec<&str> = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let entry = Fields::of(entry, format!("{at}[{index}]"))?;
        entry.expect_only(&["param_name", "example"])?;
        let (name, param) = (entry.required_text("param_name")?, entry.param("param_name"));
        if !variables.iter().any(|known| known == name) || seen.contains(&name) {
            let message = format!("{param} must be one of the variables, each once: {}.", variables.join(", "));
            return Err(Failure::invalid(&param, message));
        }
        seen.push(name);
        line(entry.required_text("example")?, &entry.param("example"), EXAMPLE_LENGTH)?;
    }
    expect_count(list.len(), variables, at)
}

fn expect_count(given: usize, variables: &[String], at: &str) -> Result<(), Failure> {
    if given == variables.len() {
        return Ok(());
    }
    let message = format!(
        "{at} must have {} examples, one for each variable ({}). This one has {given}.",
        variables.len(),
        variables.join(", ")
    );
    Err(Failure::invalid(at, message))
}

/// Validates one example.
pub(super) fn example_text(value: &Value, param: &str) -> Result<(), Failure> {
    let text = value.as_str().ok_or_else(|| Failure::invalid(param, format!("{param} must be a string.")))?;
    line(text, param, EXAMPLE_LENGTH)
}

fn missing(param: &str, variables: &[String], format: ParameterFormat, fields: &ExampleFields) -> Failure {
    let field = match format {
        ParameterFormat::Positional => fields.positional,
        ParameterFormat::Named => fields.named,
    };
    let param = format!("{param}.{field}");
    let message = format!(
        "{param} is required: an example for each variable ({}), such as {}.",
        variables.join(", "),
        fields.sample(format)
    );
    Failure::invalid(&param, message)
}

impl ExampleFields {
    fn sample(&self, format: ParameterFormat) -> &'static str {
        match (format, self.is_nested) {
            (ParameterFormat::Positional, true) => r#"[["Ann", "12"]]"#,
            (ParameterFormat::Positional, false) => r#"["Ann"]"#,
            (ParameterFormat::Named, _) => r#"[{"param_name": "first_name", "example": "Ann"}]"#,
        }
    }
}
