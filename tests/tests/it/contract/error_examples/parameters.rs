//! The parameters that errors name.

use std::collections::BTreeSet;

use contract::Operation;
use serde_json::Value;

/// The names that an error of the operation can have in `param`.
fn parameters(document: &Value, operation: &Operation<'_>) -> BTreeSet<String> {
    let resolve = |value: &Value| match value["$ref"].as_str() {
        Some(reference) => document.pointer(&reference[1..]).unwrap().clone(),
        None => value.clone(),
    };
    let parameters = operation.value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let mut names: BTreeSet<String> =
        parameters.map(|parameter| resolve(parameter)["name"].as_str().unwrap().to_owned()).collect();

    let content = operation.value.get("requestBody").and_then(|body| body["content"].as_object());
    for media in content.into_iter().flatten().map(|(_, media)| media) {
        let schema = resolve(&media["schema"]);
        let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
        for schema in variants.iter().map(resolve).chain([schema]) {
            names.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        }
        names.insert("Content-Type".to_owned());
    }

    // Rules about the content of a file name the file, also where it was uploaded before.
    if operation.path.starts_with("/v1/media") {
        names.insert("file".to_owned());
    }
    // The page of an onboarding link sends the link's token instead of its id.
    if operation.path.starts_with("/v1/onboarding") {
        names.insert("onboardingLinkId".to_owned());
    }
    names
}

#[test]
fn an_example_of_an_error_names_a_parameter_of_its_operation() {
    let document = contract::document();
    let mut named = 0;
    for operation in contract::operations(&document) {
        let names = parameters(&document, &operation);
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let reference = response["$ref"].as_str().map_or("", |reference| &reference[1..]);
            let response = document.pointer(reference).filter(|_| !reference.is_empty()).unwrap_or(response);
            let Some(param) = response.pointer("/content/application~1json/example/error/param") else { continue };
            let root = param.as_str().unwrap().split(['.', '[']).next().unwrap();
            // The platform's query parameters have a dot in their names.
            let is_own = names.contains(root) || names.contains(param.as_str().unwrap());
            assert!(is_own, "{} {status}: {param} is not one of {names:?}", operation.id());
            named += 1;
        }
    }
    assert!(named > 140, "{named}");
}
