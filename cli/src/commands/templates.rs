//! `templates`.

use std::io::{Read as _, stdin};
use std::path::Path;

use messaging_client::queries::{OrganizationChatTemplatesDeleteQuery, OrganizationChatTemplatesListQuery};
use serde_json::{Value, json};

use super::messages::{collect, entries};
use super::read_as;
use crate::args::{CreateTemplate, Templates};
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

const COLUMNS: &[&str] = &["ID", "NAME", "LANGUAGE", "CATEGORY", "STATUS"];

pub(crate) async fn run(output: Output, session: &Session, templates: &Templates) -> Result<(), Failure> {
    let of_templates = session.organization()?.organization().chat().templates();
    match templates {
        Templates::List { account, name, language, category, status } => {
            let query = OrganizationChatTemplatesListQuery {
                chat_business_profile_id: account.clone(),
                name: name.clone(),
                language: language.clone(),
                category: category.clone().map(Into::into),
                status: status.clone().map(Into::into),
                ..OrganizationChatTemplatesListQuery::default()
            };
            let raw = collect(of_templates.list(&query), usize::MAX).await?;
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Templates::Create(create) => {
            let raw = of_templates.create(&read_as(body(create)?)?).untyped().await?.raw;
            match create.dry_run && !output.is_json {
                true => output.line("The template is valid. It was not created."),
                false => output.table(&raw, COLUMNS, &[row(&raw)]),
            }
        }
        Templates::Show { id } => {
            let raw = of_templates.get(id).await?.raw;
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
            let raw = of_templates.update(id, &read_as(body)?).await?.raw;
            output.table(&raw, COLUMNS, &[row(&raw)])
        }
        Templates::Delete { id, all_languages } => {
            let query = OrganizationChatTemplatesDeleteQuery { all_languages: all_languages.then_some(true) };
            let raw = of_templates.delete(id, &query).await?.raw;
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
