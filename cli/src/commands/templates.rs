//! `templates`.

use std::io::{Read as _, stdin};
use std::path::Path;

use messaging_client::segment;
use serde_json::{Value, json};

use super::messages::{collect, entries};
use crate::args::{CreateTemplate, Templates};
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

const PATH: &str = "/v1/organization/chat/templates";
const COLUMNS: &[&str] = &["ID", "NAME", "LANGUAGE", "CATEGORY", "STATUS"];

pub(crate) async fn run(output: Output, session: &Session, templates: &Templates) -> Result<(), Failure> {
    let client = session.organization()?;
    match templates {
        Templates::List { account, name, language, category, status } => {
            let request = client
                .get(PATH)
                .query("chatBusinessProfileId", account)
                .query_opt("name", name.as_ref())
                .query_opt("language", language.as_ref())
                .query_opt("category", category.as_ref())
                .query_opt("status", status.as_ref());
            let raw = collect(request.pages(), usize::MAX).await?;
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Templates::Create(create) => {
            let raw = client.post(PATH).json(&body(create)?).send::<Value>().await?.raw;
            match create.dry_run && !output.is_json {
                true => output.line("The template is valid. It was not created."),
                false => output.table(&raw, COLUMNS, &[row(&raw)]),
            }
        }
        Templates::Show { id } => {
            let raw = client.get(&format!("{PATH}/{}", segment(id))).send::<Value>().await?.raw;
            output.fields(&raw)
        }
        Templates::Edit { id, category, components, ttl } => {
            let mut body = json!({});
            if let Some(category) = category {
                body["category"] = json!(category);
            }
            if let Some(file) = components {
                body["components"] = read(file)?;
            }
            if let Some(seconds) = ttl {
                body["messageSendTtlSeconds"] = json!(seconds);
            }
            let path = format!("{PATH}/{}", segment(id));
            let raw = client.patch(&path).json(&body).send::<Value>().await?.raw;
            output.table(&raw, COLUMNS, &[row(&raw)])
        }
        Templates::Delete { id, all_languages } => {
            let request = client.delete(&format!("{PATH}/{}", segment(id)));
            let request = request.query_opt("allLanguages", all_languages.then_some(true));
            let raw = request.send::<Value>().await?.raw;
            let deleted: Vec<_> = raw["deleted"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            match output.is_json {
                true => output.json(&raw),
                false => output.line(&format!("Deleted {}.", deleted.join(", "))),
            }
        }
    }
}

fn body(create: &CreateTemplate) -> Result<Value, Failure> {
    let mut body = json!({
        "chatBusinessProfileId": create.account,
        "name": create.name,
        "language": create.language,
        "category": create.category,
        "components": read(&create.components)?,
    });
    if create.named {
        body["parameterFormat"] = json!("NAMED");
    }
    if let Some(seconds) = create.ttl {
        body["messageSendTtlSeconds"] = json!(seconds);
    }
    if create.dry_run {
        body["dryRun"] = json!(true);
    }
    Ok(body)
}

/// Reads a file of JSON; `-` is standard input.
fn read(file: &Path) -> Result<Value, Failure> {
    let mut text = Vec::new();
    match file.as_os_str() == "-" {
        true => stdin().lock().read_to_end(&mut text).map(drop),
        false => std::fs::read(file).map(|bytes| text = bytes),
    }
    .map_err(|error| Failure::Usage(format!("{} cannot be read: {error}.", file.display())))?;
    serde_json::from_slice(&text).map_err(|error| Failure::Usage(format!("{} is not JSON: {error}.", file.display())))
}

fn row(template: &Value) -> Vec<String> {
    let fields = ["id", "name", "language", "category", "status"];
    fields.map(|name| template[name].as_str().unwrap_or_default().to_owned()).into()
}
