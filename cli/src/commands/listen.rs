//! `listen`: follows the events of an app.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use messaging_client::queries::EventsListQuery;
use messaging_client::{Error, Forwarder};
use serde_json::Value;

use super::messages::note;
use crate::args::Listen;
use crate::failure::Failure;
use crate::output::{Output, short};
use crate::paging::PageSize;
use crate::scope::Scope;
use crate::session::Session;

const SECRET: &str = "MESSAGING_LISTEN_SECRET";
/// The time between two reads without news.
const PAUSE: Duration = Duration::from_millis(750);
/// The longest wait for a service or a receiver that is down.
const MAX_BACKOFF: Duration = Duration::from_secs(10);

/// What happens to each event.
struct Work<'a> {
    output: Output,
    forwarder: Option<Forwarder>,
    program: Option<&'a str>,
    deadline: Deadline,
}

/// When a run without events ends.
struct Deadline {
    limit: Option<Duration>,
    since: Instant,
}

impl Deadline {
    fn check(&self) -> Result<(), Failure> {
        match self.limit {
            Some(limit) if self.since.elapsed() >= limit => {
                Err(Failure::Negative(format!("No event within {} s.", limit.as_secs())))
            }
            _ => Ok(()),
        }
    }

    /// Waits, but not beyond the end.
    async fn pause(&self, wait: Duration) -> Result<(), Failure> {
        let left = self.limit.map_or(wait, |limit| limit.saturating_sub(self.since.elapsed()));
        tokio::time::sleep(wait.min(left)).await;
        self.check()
    }
}

pub(crate) async fn run(output: Output, session: &Session, listen: &Listen) -> Result<(), Failure> {
    let scope = session.scope(listen.app.app.as_deref())?;
    let forwarder = listen.forward_to.as_deref().map(|url| forwarder(output, url)).transpose()?;
    let known = listen.checkpoint.as_deref().map(read_checkpoint).transpose()?.flatten();
    let query = EventsListQuery {
        after: known.or_else(|| listen.since.clone()),
        types: (!listen.types.is_empty()).then(|| listen.types.join(",")),
        limit: None,
    };
    let limit = listen.timeout.map(Duration::from_secs);
    let deadline = Deadline { limit, since: Instant::now() };
    let mut work = Work { output, forwarder, program: listen.exec.as_deref(), deadline };
    follow(&scope, query, &mut work, listen).await
}

/// A position is left only after all events of its page are done. So nothing is lost if the connection breaks.
async fn follow(
    scope: &Scope,
    mut query: EventsListQuery,
    work: &mut Work<'_>,
    listen: &Listen,
) -> Result<(), Failure> {
    // A page of one event, so that its position is that of the event.
    let mut size = PageSize::new(if listen.once { 1 } else { 100 });
    let (mut failures, mut is_first) = (0, true);
    loop {
        let page = match size.send(&scope.events(&query)).await {
            Ok(page) => page,
            Err(error) if error.is_temporary() && !is_first => {
                failures += 1;
                if failures == 1 {
                    note(&format!("{error} Retrying; no event is lost."));
                }
                work.deadline.pause(backoff(failures)).await?;
                continue;
            }
            Err(error) => return Err(explained(error, listen.app.app.as_deref())),
        };
        if std::mem::take(&mut is_first) && !work.output.is_json {
            note("Listening. Ctrl-C ends it.");
        }
        if failures > 0 {
            note("The service responds again.");
            failures = 0;
        }
        let events = page.raw["data"].as_array().map(Vec::as_slice).unwrap_or_default();
        for event in events {
            work.process(event).await?;
        }
        let before = query.after.replace(page.next_after.clone());
        if let Some(path) = &listen.checkpoint {
            write_checkpoint(path, &page.next_after)?;
        }
        match events.is_empty() {
            false if listen.once => return Ok(()),
            false => work.deadline.since = Instant::now(),
            // There may be more behind events that `--types` left out.
            true if before.as_ref() != Some(&page.next_after) => work.deadline.check()?,
            true => work.deadline.pause(PAUSE).await?,
        }
    }
}

impl Work<'_> {
    async fn process(&self, event: &Value) -> Result<(), Failure> {
        let mut body = event.clone();
        // The body is that of a delivery; the position belongs to the feed.
        body.as_object_mut().and_then(|body| body.remove("sequence"));
        let body = body.to_string();
        let status = match &self.forwarder {
            Some(forwarder) => Some(self.forward(forwarder, event, &body).await?),
            None => None,
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let data = &event["data"];
        let content = ["textBody", "text", "name", "phoneNumber", "status"].iter().find_map(|name| data[name].as_str());
        let mut row = vec![text(&event["createdAt"]), format!("{:24}", text(&event["type"])), text(&event["id"])];
        row.extend(content.map(|content| short(content, 60)));
        row.extend(status.map(|status| format!("-> {status}")));
        self.output.record(event, &row)?;
        match self.program {
            Some(program) => execute(program, event, body).await,
            None => Ok(()),
        }
    }

    /// Repeats an event until the receiver takes it, because those behind it must not overtake it.
    async fn forward(&self, forwarder: &Forwarder, event: &Value, body: &str) -> Result<u16, Failure> {
        let id = event["id"].as_str().unwrap_or_default();
        let mut failures = 0;
        loop {
            let reason = match forwarder.send(id, body.to_owned()).await {
                Ok(status @ 200..=299) => return Ok(status),
                Ok(status) => format!("The receiver responded with status {status}."),
                Err(error) => error.to_string(),
            };
            failures += 1;
            if failures == 1 {
                note(&format!("{reason} {id} is sent again until the receiver accepts it."));
            }
            let late = |_| Failure::Negative(format!("The receiver did not accept {id} in time. {reason}"));
            self.deadline.pause(backoff(failures)).await.map_err(late)?;
        }
    }
}

fn backoff(failures: u32) -> Duration {
    (Duration::from_millis(250) * 2u32.pow(failures.min(6))).min(MAX_BACKOFF)
}

/// The secret of the run is printed once, for people only, and never where it was given.
fn forwarder(output: Output, url: &str) -> Result<Forwarder, Failure> {
    if let Some(secret) = std::env::var(SECRET).ok().filter(|secret| !secret.is_empty()) {
        return Ok(Forwarder::new(url, secret.trim())?);
    }
    if output.is_json {
        return Err(Failure::Usage(format!(
            "With --json, the signing secret is not printed. Set {SECRET} to one (whsec_...)."
        )));
    }
    let secret = Forwarder::new_secret();
    let forwarder = Forwarder::new(url, &secret)?;
    note(&format!("Signing secret of this run: {secret}"));
    Ok(forwarder)
}

fn explained(error: Error, app: Option<&str>) -> Failure {
    match error.status() {
        Some(409) => Failure::Negative(format!(
            "The event feed of the app is off. Turn it on with an admin key: messaging api PATCH /v1/organization/apps/{} -F eventFeed=true",
            app.unwrap_or("APP_ID")
        )),
        Some(410) => {
            let oldest = error.additional_info().first().map_or("oldest", String::as_str);
            Failure::Negative(format!("{error} Events may be missing. Continue with --since {oldest}"))
        }
        _ => error.into(),
    }
}

/// Runs a program with the event on its standard input.
async fn execute(program: &str, event: &Value, body: String) -> Result<(), Failure> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(program).stdin(Stdio::piped());
    for (name, field) in [("MESSAGING_EVENT_ID", "id"), ("MESSAGING_EVENT_TYPE", "type")] {
        command.env(name, event[field].as_str().unwrap_or_default());
    }
    let run = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program need not read the event.
            let _ = stdin.write_all(body.as_bytes());
        }
        child.wait()
    });
    let status = run.await.map_err(|error| Failure::Other(error.to_string()))??;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Program(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}

fn read_checkpoint(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Usage(format!("{} cannot be read: {error}.", path.display()))),
    }
}

/// Replaces the file in one step, so that a run that is killed leaves a whole position.
fn write_checkpoint(path: &Path, after: &str) -> Result<(), Failure> {
    let draft = path.with_extension("new");
    let written = std::fs::write(&draft, format!("{after}\n")).and_then(|()| std::fs::rename(&draft, path));
    written.map_err(|error| Failure::Other(format!("{} cannot be written: {error}.", path.display())))
}
