//! `doctor`: finds what is wrong before a message fails.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use messaging_client::{Client, Error, Pages};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::key::Kind;
use crate::output::Output;
use crate::session::Session;

/// Signatures older than five minutes are rejected by receivers.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(60);

/// What was checked, what was found, and what to do about it; no remedy means that all is well.
struct Finding {
    check: String,
    found: String,
    remedy: Option<&'static str>,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn good(&mut self, check: &str, found: impl Into<String>) {
        self.0.push(Finding { check: check.to_owned(), found: found.into(), remedy: None });
    }

    fn bad(&mut self, check: &str, found: impl Into<String>, remedy: &'static str) {
        self.0.push(Finding { check: check.to_owned(), found: found.into(), remedy: Some(remedy) });
    }
}

pub(crate) async fn run(output: Output, session: &Session) -> Result<(), Failure> {
    let mut findings = Findings::default();
    let is_up = health(session, &mut findings).await?;
    if is_up {
        let organization = session.profile.organization_key.as_ref();
        if let Some(key) = organization
            && is_valid(session, key, "/v1/organization/apps", &mut findings).await?
        {
            of_organization(&session.client(key)?, &mut findings).await;
        }
        if let Some(key) = &session.profile.app_key
            && is_valid(session, key, "/v1/phone-numbers", &mut findings).await?
        {
            of_app(&session.client(key)?, organization.is_some(), &mut findings).await;
        }
    }
    let problems = findings.0.iter().filter(|finding| finding.remedy.is_some()).count();
    let rows: Vec<_> = findings.0.iter().map(row).collect();
    let raw: Vec<_> = findings.0.iter().map(|finding| json!({"check": finding.check, "found": finding.found, "isProblem": finding.remedy.is_some(), "remedy": finding.remedy})).collect();
    output.table(&json!({"data": raw, "problems": problems}), &["", "CHECK", "FOUND", "REMEDY"], &rows)?;
    match problems {
        0 => Ok(()),
        1 => Err(Failure::Negative("1 problem found.".to_owned())),
        several => Err(Failure::Negative(format!("{several} problems found."))),
    }
}

fn row(finding: &Finding) -> Vec<String> {
    let state = if finding.remedy.is_some() { "PROBLEM" } else { "OK" };
    vec![state.to_owned(), finding.check.clone(), finding.found.clone(), finding.remedy.unwrap_or_default().to_owned()]
}

/// Checks the address and the clock. Returns whether the service responds.
async fn health(session: &Session, findings: &mut Findings) -> Result<bool, Failure> {
    let client = Client::anonymous(&session.profile.base_url)?;
    let response = match client.get("/v1/health").send_bytes().await {
        Ok(response) => response,
        Err(error) => {
            findings.bad(
                "address",
                error.to_string(),
                "Compare it with the ApiUrl of the deployment; locally, start `make run`.",
            );
            return Ok(false);
        }
    };
    let body: Value = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
    match body["version"].as_str() {
        Some(version) => findings.good("address", format!("{} runs version {version}", client.base_url())),
        None => {
            findings.bad(
                "address",
                "Something else than this API responds.",
                "Compare it with the ApiUrl of the deployment.",
            );
            return Ok(false);
        }
    }
    let date = response.headers().get("date").and_then(|date| seconds_of(date.to_str().ok()?));
    let own = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    match date.map(|date| own.abs_diff(Duration::from_secs(date))) {
        None => findings.good("clock", "The response has no date to compare with."),
        Some(difference) if difference <= MAX_CLOCK_DIFFERENCE => {
            findings.good("clock", format!("{} s from the service's", difference.as_secs()));
        }
        Some(difference) => findings.bad(
            "clock",
            format!("{} s from the service's", difference.as_secs()),
            "Set this machine's clock: receivers reject signatures that are more than five minutes off.",
        ),
    }
    Ok(true)
}

async fn is_valid(session: &Session, key: &str, path: &str, findings: &mut Findings) -> Result<bool, Failure> {
    let kind = Kind::of(key).name();
    let name = crate::key::mode(key).map_or_else(|| kind.to_owned(), |mode| format!("{mode} {kind}"));
    let check = format!("key ...{}", crate::key::last_four(key));
    match session.client(key)?.get(path).query("limit", 1).send::<Value>().await {
        Ok(_) => {
            findings.good(&check, name);
            Ok(true)
        }
        Err(error) => {
            findings.bad(&check, format!("{name}: {error}"), "Create another key and store it with `messaging login`.");
            Ok(false)
        }
    }
}

async fn of_organization(client: &Client, findings: &mut Findings) {
    each(client.get("/v1/organization/chat/phone-numbers").pages(), "chat number", findings, chat_number).await;
    each(client.get("/v1/organization/phone-numbers").pages(), "SMS number", findings, sms_number).await;
    let profiles =
        client.get("/v1/organization/chat/business-profiles").pages().all::<Value>().await.unwrap_or_default();
    for id in profiles.iter().filter_map(|profile| profile["id"].as_str()) {
        let templates = client.get("/v1/organization/chat/templates").query("chatBusinessProfileId", id);
        each(templates.pages(), "template", findings, template).await;
    }
    let Ok(apps) = client.apps().all::<Value>().await else { return };
    for id in apps.iter().filter_map(|app| app["id"].as_str()) {
        let scope = messaging_client::Scope::App(id.to_owned());
        each(client.webhooks(&scope), "webhook", findings, webhook).await;
    }
}

/// An app key sees what its organization's key has shown already, if there is one.
async fn of_app(client: &Client, is_known: bool, findings: &mut Findings) {
    if is_known {
        return;
    }
    let is_chat = |number: &Value| number["kind"] == "chat";
    let check = |number: &Value| if is_chat(number) { chat_number(number) } else { sms_number(number) };
    each(client.get("/v1/phone-numbers").pages(), "number", findings, check).await;
    let numbers = client.get("/v1/phone-numbers").pages().all::<Value>().await.unwrap_or_default();
    for id in numbers.iter().filter(|number| is_chat(number)).filter_map(|number| number["id"].as_str()) {
        let templates = client.get("/v1/chat/templates").query("chatPhoneNumberId", id);
        each(templates.pages(), "template", findings, template).await;
    }
    each(client.webhooks(&messaging_client::Scope::OwnApp), "webhook", findings, webhook).await;
}

type Trouble = Option<(&'static str, &'static str)>;

async fn each(pages: Pages<'_>, name: &str, findings: &mut Findings, check: impl Fn(&Value) -> Trouble) {
    let all: Result<Vec<Value>, Error> = pages.all().await;
    let all = match all {
        Ok(all) => all,
        Err(error) => return findings.bad(name, error.to_string(), "Run it again, or use a key that may read them."),
    };
    let mut is_well = true;
    for object in &all {
        let Some((found, remedy)) = check(object) else { continue };
        is_well = false;
        let names = ["displayPhoneNumber", "number", "name", "url", "id"];
        let shown = names.iter().find_map(|field| object[field].as_str()).unwrap_or_default();
        findings.bad(name, format!("{shown}: {found}"), remedy);
    }
    if is_well && !all.is_empty() {
        findings.good(name, format!("{} without trouble", all.len()));
    }
}

fn chat_number(number: &Value) -> Trouble {
    match (&number["verified"], &number["cloudApiRegistered"], number["qualityRating"].as_str()) {
        (Value::Bool(false), ..) => Some((
            "is not verified",
            "Verify the number at Meta, then run `messaging api POST /v1/organization/chat/phone-numbers`.",
        )),
        (_, Value::Bool(false), _) => Some((
            "is not registered and cannot send",
            "Register it with `messaging api POST /v1/organization/chat/phone-numbers`.",
        )),
        (.., Some("RED")) => Some((
            "has the lowest quality rating",
            "Send less that recipients report or block; the platform may reduce the number's limit.",
        )),
        _ => None,
    }
}

fn sms_number(number: &Value) -> Trouble {
    match number["carrierStatus"].as_str() {
        // Numbers of test apps are simulated and need no carrier.
        Some("UNLINKED") if number["isTestNumber"] != true => {
            Some(("is not linked to the carrier and cannot send", "Ask the operator for `make link-number`."))
        }
        Some("RELEASING") => Some(("is being released", "Use another number.")),
        _ => None,
    }
}

fn template(template: &Value) -> Trouble {
    match template["status"].as_str() {
        Some("REJECTED") => Some(("was rejected", "Change it at Meta; rejectedReason says why.")),
        Some("PAUSED") => Some(("is paused for low quality", "Wait for the end of the pause, and improve its text.")),
        Some("DISABLED" | "LIMIT_EXCEEDED") => Some(("is disabled", "Use another template.")),
        _ => None,
    }
}

fn webhook(webhook: &Value) -> Trouble {
    webhook["disabledAt"].is_string().then_some((
        "is disabled, so its deliveries are skipped",
        "Mend the receiver, then change the webhook with PUT, which enables it. `messaging deliveries list` shows what failed.",
    ))
}

/// Reads the date of an HTTP header, such as `Sun, 06 Nov 1994 08:49:37 GMT`, as seconds since 1970.
fn seconds_of(date: &str) -> Option<u64> {
    let parts: Vec<&str> = date.split([' ', ':']).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = parts[..] else { return None };
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|name| *name == month)? as u64;
    let (year, day): (u64, u64) = (year.parse().ok()?, day.parse().ok()?);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let before: u64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    let lengths = [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let days = before + lengths.iter().take(month as usize).sum::<u64>() + day.checked_sub(1)?;
    let number = |text: &str| text.parse::<u64>().ok();
    Some(((days * 24 + number(hour)?) * 60 + number(minute)?) * 60 + number(second)?)
}

#[cfg(test)]
mod tests {
    use super::seconds_of;

    #[test]
    fn dates_of_headers() {
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(seconds_of("yesterday"), None);
    }
}
