//! Plays the methods that the library has beside the operations.

use std::io::{Cursor, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use messaging_client::types::EventName;
use messaging_client::{Client, Clock as _, Until, Upload, UploadSource, WaitFor, webhooks};
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::clock::TheClock;
use crate::compare::Outcome;
use crate::player::{Arguments, Problem};

pub(crate) async fn special(
    client: &Client,
    method: &str,
    arguments: &Value,
    of: &Arguments,
    clock: &Arc<TheClock>,
) -> Result<Outcome, Problem> {
    let options = &of.call["options"];
    match method {
        "chat.messages.waitFor" => {
            let messages = client.chat().messages();
            waited(|id, until| messages.wait_for(id, until), arguments, options).await
        }
        "sms.waitFor" => {
            let messages = client.sms();
            waited(|id, until| messages.wait_for(id, until), arguments, options).await
        }
        "media.upload" => Ok(uploaded(client, arguments, options).await),
        "events.follow" => Ok(followed(client, arguments, of).await),
        "webhooks.verify" => Ok(verified(arguments, clock)),
        _ => Err(Problem(format!("the library has no {method}"))),
    }
}

fn milliseconds(value: &Value) -> Option<Duration> {
    value.as_u64().map(Duration::from_millis)
}

/// Sets the options of what has them.
macro_rules! with_options {
    ($target:ident, $options:expr) => {
        if let Some(limit) = milliseconds(&$options["timeout"]) {
            $target = $target.timeout(limit);
        }
        if let Some(retries) = $options["maxRetries"].as_u64() {
            $target = $target.max_retries(u32::try_from(retries).unwrap());
        }
        for (name, value) in $options["headers"].as_object().into_iter().flatten() {
            $target = $target.header(name, value.as_str().unwrap());
        }
    };
}

async fn waited<T: DeserializeOwned + Send + 'static>(
    begin: impl Fn(&str, Until) -> WaitFor<T>,
    arguments: &Value,
    options: &Value,
) -> Result<Outcome, Problem> {
    let until = match (arguments["status"].as_str(), arguments["outcome"].as_str()) {
        (Some("QUEUED"), _) => Until::Queued,
        (Some("SENT"), _) => Until::Sent,
        (Some("DELIVERED"), _) => Until::Delivered,
        (Some("READ"), _) => Until::Read,
        (Some("FAILED"), _) => Until::Failed,
        (None, Some(outcome)) => Until::Outcome(outcome.to_owned().into()),
        _ => return Err(Problem("a wait has either a known status or an outcome".to_owned())),
    };
    let mut wait = begin(arguments["messageId"].as_str().unwrap(), until);
    with_options!(wait, options);
    if let Some(patience) = milliseconds(&arguments["patience"]) {
        wait = wait.patience(patience);
    }
    if let Some(interval) = milliseconds(&arguments["interval"]) {
        wait = wait.interval(interval);
    }
    Ok(wait.await.map_or_else(Outcome::failed, Outcome::of))
}

async fn uploaded(client: &Client, arguments: &Value, options: &Value) -> Outcome {
    let file = &arguments["file"];
    let content = match file["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => (0..file["size"].as_u64().unwrap()).map(|at| u8::try_from(at % 251).unwrap()).collect(),
    };
    let size = content.len() as u64;
    let name = file["name"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (source, is_named) = match arguments["as"].as_str().unwrap() {
        "bytes" => (UploadSource::bytes(content), false),
        "path" => {
            let path = folder.path().join(name);
            std::fs::File::create(&path).unwrap().write_all(&content).unwrap();
            (UploadSource::path(path), true)
        }
        _ => (UploadSource::reader(Cursor::new(content), size), false),
    };
    let mut upload: Upload = client.media().upload(source);
    with_options!(upload, options);
    if let Some(key) = options["idempotencyKey"].as_str() {
        upload = upload.idempotency_key(key);
    }
    match arguments["fileName"].as_str() {
        Some(name) => upload = upload.file_name(name),
        None if is_named => {}
        None => upload = upload.file_name(name),
    }
    if let Some(mime_type) = arguments["mimeType"].as_str() {
        upload = upload.mime_type(mime_type);
    }
    let reports = Arc::new(Mutex::new(Vec::new()));
    if arguments["progress"] == true {
        let reports = Arc::clone(&reports);
        upload = upload.on_progress(move |progress| reports.lock().unwrap().push(progress));
    }
    let outcome = upload.await.map_or_else(Outcome::failed, Outcome::of);
    if arguments["progress"] == true {
        let last = *reports.lock().unwrap().last().expect("progress was reported");
        assert_eq!((last.loaded, last.total), (size, size));
    }
    outcome
}

async fn followed(client: &Client, arguments: &Value, of: &Arguments) -> Outcome {
    let options = &of.call["options"];
    let mut follow = client.events().follow();
    with_options!(follow, options);
    if let Some(after) = arguments["after"].as_str() {
        follow = follow.after(after);
    }
    if let Some(interval) = milliseconds(&arguments["interval"]) {
        follow = follow.interval(interval);
    }
    if arguments["types"].is_array() {
        follow = follow.types(&Vec::<EventName>::deserialize(&arguments["types"]).unwrap());
    }
    let trace = Arc::new(Mutex::new(Vec::new()));
    let positions = Arc::clone(&trace);
    let mut follow = follow.on_position(move |at| positions.lock().unwrap().push(json!({"position": at})));
    let mut error = None;
    let mut left = of.call["take"].as_u64().unwrap_or(u64::MAX);
    while left > 0 {
        match follow.next().await {
            Ok(event) => trace.lock().unwrap().push(json!({"event": event.raw})),
            Err(failed) => {
                error = Some(failed);
                break;
            }
        }
        left -= 1;
    }
    let trace = trace.lock().unwrap().clone();
    Outcome { yielded: Some(("trace", trace)), error, ..Outcome::default() }
}

fn verified(arguments: &Value, clock: &TheClock) -> Outcome {
    let mut headers = http::HeaderMap::new();
    for (name, value) in arguments["headers"].as_object().unwrap() {
        let name: http::HeaderName = name.parse().unwrap();
        headers.insert(name, http::HeaderValue::from_str(value.as_str().unwrap()).unwrap());
    }
    let secrets: Vec<&str> = arguments["secrets"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let tolerance = Duration::from_secs(arguments["tolerance"].as_u64().unwrap_or(300));
    let body = arguments["body"].as_str().unwrap().as_bytes();
    match webhooks::verify_at(body, &headers, &secrets, tolerance, clock.now()) {
        Ok(event) => Outcome { data: event.raw, ..Outcome::default() },
        Err(error) => Outcome::failed(error),
    }
}
