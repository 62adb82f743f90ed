//! `api`: any request.

use std::io::{Read as _, Write as _, stdin, stdout};

use messaging_client::{Client, Request};
use serde_json::{Map, Value, json};

use super::pair;
use crate::args::{Api, KeyKind};
use crate::failure::Failure;
use crate::output::Output;
use crate::paging::Pages;
use crate::session::Session;

pub(crate) async fn run(output: Output, session: &Session, api: &Api) -> Result<(), Failure> {
    let method = api.method.to_ascii_uppercase();
    let method =
        method.parse().map_err(|_| Failure::Usage(format!("{method} is not a method, such as GET or POST.")))?;
    let client = client(session, api)?;
    let mut request = client.request::<Value>(method, &api.path);
    for header in &api.headers {
        let (name, value) = pair(header, ':', "'NAME: VALUE'")?;
        request = request.header(name, value);
    }
    let is_get = api.method.eq_ignore_ascii_case("GET");

    request = match &api.input {
        Some(path) => {
            let mut body = Vec::new();
            match path.as_os_str() == "-" {
                true => stdin().lock().read_to_end(&mut body).map(drop),
                false => std::fs::read(path).map(|bytes| body = bytes),
            }
            .map_err(|error| Failure::Usage(format!("{} cannot be read: {error}.", path.display())))?;
            request.json_bytes(body)
        }
        None => with_fields(request, api, is_get)?,
    };

    match api.all {
        true if !is_get => Err(Failure::Usage("--all reads the pages of a list: use it with GET.".to_owned())),
        true => output.json(&json!({"data": all(request, limit_of(api)).await?, "nextCursor": null})),
        false => print(output, request).await,
    }
}

/// Operations of the organization take its key, all others that of the app.
fn client(session: &Session, api: &Api) -> Result<Client, Failure> {
    let is_for_organization = api.path.starts_with("/v1/organization");
    match api.as_kind {
        Some(KeyKind::Admin) => session.organization(),
        Some(KeyKind::App) => session.app(),
        None if is_for_organization => session.organization(),
        None if session.profile.app_key.is_some() => session.app(),
        None => session.organization(),
    }
}

fn with_fields(mut request: Request<Value>, api: &Api, is_get: bool) -> Result<Request<Value>, Failure> {
    let mut fields = Vec::new();
    for field in &api.fields {
        let (name, value) = pair(field, '=', "FIELD=TEXT")?;
        fields.push((name, json!(value)));
    }

    for field in &api.json_fields {
        let (name, value) = pair(field, '=', "FIELD=JSON")?;
        let value = serde_json::from_str(value)
            .map_err(|error| Failure::Usage(format!("{name}: the value is not JSON ({error}). For text, use -f.")))?;
        fields.push((name, value));
    }

    if is_get {
        for (name, value) in fields {
            request = request.query(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        return Ok(request);
    }

    if fields.is_empty() {
        return Ok(request);
    }
    let mut body = Map::new();
    for (name, value) in fields {
        set(&mut body, name, value)?;
    }
    Ok(request.json(&body))
}

/// Sets `text.body` within the object `text`.
fn set(object: &mut Map<String, Value>, name: &str, value: Value) -> Result<(), Failure> {
    let Some((first, rest)) = name.split_once('.') else {
        object.insert(name.to_owned(), value);
        return Ok(());
    };
    match object.entry(first).or_insert_with(|| json!({})) {
        Value::Object(inner) => set(inner, rest, value),
        _ => Err(Failure::Usage(format!("{first} has a value already, so {name} cannot be a field of it."))),
    }
}

async fn all(list: Request<Value>, limit: Option<u32>) -> Result<Vec<Value>, Failure> {
    Ok(Pages::new(list.into_list(), limit).all().await?)
}

/// Returns the size of a page that was asked for: `-f limit=5`.
fn limit_of(api: &Api) -> Option<u32> {
    let fields = api.fields.iter().chain(&api.json_fields);
    fields.filter_map(|field| field.strip_prefix("limit=")).find_map(|limit| limit.parse().ok())
}

async fn print(output: Output, request: Request<Value>) -> Result<(), Failure> {
    let body = request.send_bytes().await?.into_body();
    match serde_json::from_slice::<Value>(&body) {
        Ok(value) => output.json(&value),
        Err(_) => Ok(stdout().lock().write_all(&body)?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::set;

    #[test]
    fn a_dot_makes_an_object() {
        let mut body = Map::new();
        for (name, value) in [("type", json!("text")), ("text.body", json!("Hi")), ("text.previewUrl", json!(true))] {
            set(&mut body, name, value).expect("these fields fit together");
        }
        assert_eq!(json!(body), json!({"type": "text", "text": {"body": "Hi", "previewUrl": true}}));
        assert!(set(&mut body, "type.of", json!(1)).is_err());
    }
}
