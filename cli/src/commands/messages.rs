//! `messages`: the log, once or as it grows.

use std::collections::HashMap;
use std::time::Duration;

use messaging_client::http::Method;
use messaging_client::{Client, Error, List, Request};
use serde_json::{Value, json};

use crate::args::{FailureList, MessageList, MessageSelection, MessageTail, Messages};
use crate::failure::Failure;
use crate::output::{Output, short};
use crate::paging::Pages;
use crate::session::Session;

pub(crate) const COLUMNS: &[&str] = &["ID", "TIME", "", "WITH", "TYPE", "STATE", "CONTENT"];
/// The time between two looks at the log.
const PAUSE: Duration = Duration::from_secs(2);

pub(crate) async fn run(output: Output, session: &Session, messages: &Messages) -> Result<(), Failure> {
    match messages {
        Messages::List(options) => list(output, session, options).await,
        Messages::Show { id, timeline: false } => show(output, session, id).await,
        Messages::Show { id, timeline: true } => timeline(output, session, id).await,
        Messages::Failures(options) => failures(output, session, options).await,
        Messages::Tail(options) => tail(output, session, options).await,
    }
}

/// A number that is named may be any of the organization's, if there is a key for it; else it is one of the app's.
fn client(session: &Session, selection: &MessageSelection) -> Result<(Client, bool), Failure> {
    match (session.profile.organization_key.is_some(), &selection.number, session.profile.app_key.is_some()) {
        (true, Some(_), _) => Ok((session.organization()?, false)),
        (true, None, false) => Err(Failure::Usage(
            "--number: with an admin key, name the number whose messages you want. `messaging api GET /v1/organization/chat/phone-numbers` lists the numbers.".to_owned(),
        )),
        _ => Ok((session.app()?, true)),
    }
}

/// What every command of messages selects by.
fn selected(client: &Client, is_app: bool, selection: &MessageSelection) -> Request<List<Value>> {
    let (path, number) = match (selection.sms, is_app) {
        (false, true) => ("/v1/chat/messages", "chatPhoneNumberId"),
        (false, false) => ("/v1/organization/chat/messages", "chatPhoneNumberId"),
        (true, true) => ("/v1/sms", "phoneNumberId"),
        (true, false) => ("/v1/organization/sms/messages", "phoneNumberId"),
    };
    let filters = [(number, &selection.number), ("contact", &selection.contact), ("direction", &selection.direction)];
    filtered(client.request(Method::GET, path), &filters)
}

fn filtered(request: Request<List<Value>>, filters: &[(&str, &Option<String>)]) -> Request<List<Value>> {
    let set = filters.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    set.fold(request, |request, (name, value)| request.query(name, value))
}

async fn list(output: Output, session: &Session, options: &MessageList) -> Result<(), Failure> {
    let (client, is_app) = client(session, &options.selection)?;
    let wanted = if options.all { usize::MAX } else { options.limit as usize };
    let filters = [
        ("outcome", &options.outcome),
        ("status", &options.status),
        ("clientReference", &options.client_reference),
        ("since", &options.since),
        ("until", &options.until),
    ];
    let request = filtered(selected(&client, is_app, &options.selection), &filters);
    let limit = if options.all { 100 } else { options.limit.min(100) };
    let raw = collected(Pages::new(request, Some(limit)), wanted).await?;
    let rows: Vec<_> = entries(&raw).map(row).collect();
    output.table(&raw, COLUMNS, &rows)
}

/// Reads as many pages as are needed for so many entries.
pub(crate) async fn collect<T>(list: Request<List<T>>, wanted: usize) -> Result<Value, Error> {
    collected(Pages::new(list, None), wanted).await
}

pub(crate) async fn collected(mut pages: Pages, wanted: usize) -> Result<Value, Error> {
    let mut data = Vec::new();
    let mut next = None;
    while data.len() < wanted {
        let Some(page) = pages.next().await? else { break };
        next = page.next_cursor;
        data.extend(page.data);
    }
    let is_cut = data.len() > wanted;
    data.truncate(wanted);
    // A cursor would skip what was cut off.
    Ok(json!({"data": data, "nextCursor": if is_cut { None } else { next }}))
}

pub(crate) fn entries(raw: &Value) -> impl Iterator<Item = &Value> {
    entries_of(raw, "data")
}

pub(crate) fn entries_of<'a>(raw: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    raw[name].as_array().into_iter().flatten()
}

async fn show(output: Output, session: &Session, id: &str) -> Result<(), Failure> {
    let is_app = session.profile.app_key.is_some();
    let client = if is_app { session.app()? } else { session.organization()? };
    let raw = match (id.starts_with("msg_sms_"), is_app) {
        (false, true) => client.chat().messages().get(id).await?.raw,
        (false, false) => client.organization().chat().messages().get(id).await?.raw,
        (true, true) => client.sms().get(id).await?.raw,
        (true, false) => client.organization().sms().messages().get(id).await?.raw,
    };
    output.fields(&raw)
}

/// Prints everything that has happened to a message, oldest first.
async fn timeline(output: Output, session: &Session, id: &str) -> Result<(), Failure> {
    let is_app = session.profile.app_key.is_some();
    let client = if is_app { session.app()? } else { session.organization()? };
    let path = match (id.starts_with("msg_sms_"), is_app) {
        (false, true) => "/v1/chat/messages/{messageId}/timeline",
        (false, false) => "/v1/organization/chat/messages/{messageId}/timeline",
        (true, true) => "/v1/sms/{messageId}/timeline",
        (true, false) => "/v1/organization/sms/messages/{messageId}/timeline",
    };
    let request: Request<List<Value>> = client.request(Method::GET, &path.replace("{messageId}", id));
    let raw = collected(Pages::new(request, Some(100)), usize::MAX).await?;
    let rows: Vec<_> = entries(&raw).map(step).collect();
    output.table(&raw, &["TIME", "WHAT", "DETAILS"], &rows)
}

/// The columns of an entry of a timeline.
fn step(entry: &Value) -> Vec<String> {
    let named = |label: &str, name: &str| entry[name].as_str().map(|value| format!("{label}{value}"));
    let status = entry["statusCode"].as_u64().map(|code| code.to_string());
    let took = entry["durationMs"].as_u64().map(|millis| format!("{millis} ms"));
    let provider = &entry["provider"];
    let code =
        provider["code"].as_i64().map(|code| code.to_string()).or_else(|| provider["code"].as_str().map(str::to_owned));
    let details = [
        entry["by"]["id"].as_str().map(|id| format!("by {id}")),
        named("request ", "requestId"),
        named("", "reason"),
        named("until ", "until"),
        named("", "recipientId"),
        named("", "errorCode"),
        code.map(|code| format!("provider's code {code}")),
        named("", "errorMessage"),
        named("", "eventType"),
        named("", "eventId").filter(|_| entry["kind"] == "EVENT"),
        named("", "webhookId"),
        status,
        named("", "error"),
        took,
    ];
    let details: Vec<String> = details.into_iter().flatten().collect();
    vec![
        text(entry, "recordedAt").chars().take(23).collect(),
        text(entry, "kind").to_owned(),
        short(&details.join(", "), 120),
    ]
}

async fn failures(output: Output, session: &Session, options: &FailureList) -> Result<(), Failure> {
    let is_app = session.profile.app_key.is_some();
    let client = if is_app { session.app()? } else { session.organization()? };
    let path = if is_app { "/v1/failures" } else { "/v1/organization/failures" };
    let filters = [
        ("channel", &options.channel.as_ref().map(|channel| channel.to_lowercase())),
        ("phoneNumberId", &options.number),
        ("code", &options.code),
        ("since", &options.since),
        ("until", &options.until),
    ];
    let request = filtered(client.request(Method::GET, path), &filters);
    let raw = collected(Pages::new(request, Some(options.limit.min(100))), options.limit as usize).await?;
    let row = |failure: &Value| {
        let first = |name: &str| text(failure, name).to_owned();
        let time = text(failure, "failedAt").chars().take(19).collect();
        vec![
            first("messageId"),
            time,
            first("to"),
            first("ending"),
            first("errorCode"),
            short(text(failure, "errorMessage"), 60),
        ]
    };
    let rows: Vec<_> = entries(&raw).map(row).collect();
    output.table(&raw, &["ID", "TIME", "TO", "ENDING", "CODE", "WHY"], &rows)
}

/// Prints each message when it is new and when its state changes, beginning with what comes from now on.
async fn tail(output: Output, session: &Session, options: &MessageTail) -> Result<(), Failure> {
    let (client, is_app) = client(session, &options.selection)?;
    let newest = selected(&client, is_app, &options.selection);
    let mut seen: HashMap<String, String> = HashMap::new();
    let mut is_first = true;
    let mut left = options.count.unwrap_or(usize::MAX);

    loop {
        match unseen(Pages::new(newest.clone(), Some(50)), &seen, is_first).await {
            Ok(new) => {
                for message in new.iter().rev().filter(|message| is_news(message, &seen)).collect::<Vec<_>>() {
                    seen.insert(text(message, "id").to_owned(), state(message).to_owned());
                    if !is_first && left > 0 {
                        output.record(message, &row(message))?;
                        left -= 1;
                    }
                }
                if std::mem::take(&mut is_first) && !output.is_json {
                    note("Waiting for messages. Ctrl-C ends it.");
                }
            }
            Err(error) if error.is_temporary() && !is_first => note(&format!("{error} Retrying.")),
            Err(error) => return Err(error.into()),
        }
        if left == 0 {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Reads pages until one has a message that was seen before, so that a burst is shown as a whole.
async fn unseen(mut pages: Pages, seen: &HashMap<String, String>, is_first: bool) -> Result<Vec<Value>, Error> {
    let mut read = Vec::new();
    while let Some(page) = pages.next().await? {
        let is_known = page.data.iter().any(|message| seen.contains_key(text(message, "id")));
        read.extend(page.data);
        if is_first || is_known {
            break;
        }
    }
    Ok(read)
}

/// Writes to people, beside the output.
pub(crate) fn note(text: &str) {
    use std::io::Write as _;
    // If stderr is closed, nobody wants to know.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn is_news(message: &Value, seen: &HashMap<String, String>) -> bool {
    seen.get(text(message, "id")).is_none_or(|known| known != state(message))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// What happened last to a message.
fn state(message: &Value) -> &str {
    let has = |name: &str| message[name].is_string();
    match (message["outcome"].as_str(), message["status"].as_str()) {
        // It was not sent, and never will be.
        (Some(outcome @ ("REFUSED" | "EXPIRED")), _) => outcome,
        _ if has("failedAt") => "FAILED",
        (_, Some(status)) => status,
        _ if message["direction"] == "INBOUND" => "RECEIVED",
        _ if has("readAt") => "READ",
        _ if has("deliveredAt") => "DELIVERED",
        _ if has("sentAt") => "SENT",
        (outcome, None) => outcome.unwrap_or("UNKNOWN"),
    }
}

/// The columns of a message of either kind.
pub(crate) fn row(message: &Value) -> Vec<String> {
    let is_inbound = message["direction"] == "INBOUND";
    let names: &[&str] = match is_inbound {
        true => &["contactName", "fromPhoneNumber", "from", "fromUserId"],
        false => &["toPhoneNumber", "to", "toUserId", "groupId"],
    };
    let first = |names: &[&str]| names.iter().find_map(|name| message[name].as_str()).unwrap_or_default().to_owned();
    let content =
        first(&["textBody", "text", "mediaCaption", "mediaFilename", "reactionEmoji", "buttonText", "locationName"]);
    vec![
        first(&["id"]),
        first(&["createdAt"]).chars().take(19).collect(),
        if is_inbound { "<-" } else { "->" }.to_owned(),
        first(names),
        first(&["type"]),
        state(message).to_owned(),
        short(&content, 60),
    ]
}
