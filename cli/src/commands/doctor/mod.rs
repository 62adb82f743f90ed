//! `doctor`: finds what is wrong before a message fails.

mod clock;
mod findings;
mod objects;

use messaging_client::http::Method;
use messaging_client::queries::{
    ChatTemplatesListQuery, OrganizationChatPhoneNumbersListQuery, OrganizationChatTemplatesListQuery, PageQuery,
};
use messaging_client::{Client, Error, List, Request};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::key::Kind;
use crate::output::Output;
use crate::paging::Pages;
use crate::session::{Origin, Session, quoted};

use findings::{Finding, Findings};
use objects::{Commands, Trouble};

/// How many apps a remedy names.
const MOST_APPS: usize = 3;

pub(crate) async fn run(output: Output, session: &Session) -> Result<(), Failure> {
    let mut findings = Findings::default();
    if health(session, &mut findings).await? {
        of_keys(session, &mut findings).await?;
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
    vec![state.to_owned(), finding.check.clone(), finding.found.clone(), finding.remedy.clone().unwrap_or_default()]
}

/// Checks the address and the clock. Returns whether the service responds.
async fn health(session: &Session, findings: &mut Findings) -> Result<bool, Failure> {
    let client = Client::builder().base_url(&session.profile.base_url).without_api_key().build()?;
    let response = match client.health().get().send_bytes().await {
        Ok(response) => response,
        Err(error) => {
            findings.bad("address", error.to_string(), address(session));
            return Ok(false);
        }
    };
    let body: Value = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
    let Some(version) = body["version"].as_str() else {
        findings.bad("address", "Something else than this API responds.", address(session));
        return Ok(false);
    };
    findings.good("address", format!("{} runs version {version}", client.base_url()));
    clock::check(response.headers().get("date").and_then(|date| date.to_str().ok()), findings);
    Ok(true)
}

/// What to do about an address that does not work.
fn address(session: &Session) -> String {
    let Session { profile, origin, .. } = session;
    let is_here = ["://127.", "://localhost", "://[::1]"].iter().any(|host| profile.base_url.contains(host));
    if is_here || matches!(origin, Origin::Local) {
        return "Start the local stack: `make run`".to_owned();
    }
    let deployed = "`aws cloudformation describe-stacks --stack-name messaging-api --query 'Stacks[0].Outputs'` shows the \
                    address of a deployment (ApiUrl)";
    match origin {
        Origin::Environment => format!("Correct MESSAGING_BASE_URL: {deployed}."),
        _ => format!("Store another address with `{} login`: {deployed}.", origin.program()),
    }
}

/// Checks each key, and what it can see.
async fn of_keys(session: &Session, findings: &mut Findings) -> Result<(), Failure> {
    let organization_key = session.profile.organization_key.as_ref();
    let mut commands = Commands {
        program: session.origin.program(),
        organization: session.profile.keys().find_map(|key| crate::key::organization(key)).unwrap_or_default(),
        has_organization_key: false,
    };
    let mut organization = None;

    if let Some(key) = organization_key {
        let client = session.client(key)?;
        let problem = problem_of(&client, key, "/v1/organization/apps", findings).await;
        commands.has_organization_key = problem.is_none();
        match problem {
            Some(error) => findings.bad(
                &check_of(key),
                format!("{}: {error}", kind_of(key)),
                another_key(session, key, &error, &[]),
            ),
            None => {
                of_organization(&client, &commands, findings).await;
                organization = Some(client);
            }
        }
    }

    let Some(key) = &session.profile.app_key else { return Ok(()) };
    let client = session.client(key)?;
    match problem_of(&client, key, "/v1/phone-numbers", findings).await {
        Some(error) => {
            let apps = match &organization {
                Some(client) => all(client.organization().apps().list(&PageQuery::default())).await.unwrap_or_default(),
                None => Vec::new(),
            };
            findings.bad(
                &check_of(key),
                format!("{}: {error}", kind_of(key)),
                another_key(session, key, &error, &apps),
            );
        }
        // An app key sees what its organization's key has shown already, if there is one.
        None if organization.is_some() => {}
        None => of_app(&client, &commands, findings).await,
    }

    Ok(())
}

/// Returns why a key does not work.
async fn problem_of(client: &Client, key: &str, path: &str, findings: &mut Findings) -> Option<Error> {
    let error = client.request::<Value>(Method::GET, path).query("limit", 1).await.err();
    if error.is_none() {
        findings.good(&check_of(key), kind_of(key));
    }
    error
}

/// Names the check of a key without showing it.
fn check_of(key: &str) -> String {
    format!("key ...{}", crate::key::last_four(key))
}

fn kind_of(key: &str) -> String {
    let kind = Kind::of(key).name();
    crate::key::mode(key).map_or_else(|| kind.to_owned(), |mode| format!("{mode} {kind}"))
}

/// What to do about a key that does not work. `apps` are those for which another key can be created.
fn another_key(session: &Session, key: &str, error: &Error, apps: &[Value]) -> String {
    let program = session.origin.program();
    if error.is_temporary() {
        return format!("Try again in a minute: `{program} doctor`");
    }
    let is_test = crate::key::mode(key) == Some("test");
    let apps = apps.iter().filter(|app| app["isTestApp"] == is_test).filter_map(|app| app["id"].as_str());
    let creations: Vec<_> =
        apps.take(MOST_APPS).map(|id| format!("`{program} keys create --app {} --save`", quoted(id))).collect();
    match &session.origin {
        Origin::Local => "Start the local stack again, which writes new keys: `make run`".to_owned(),
        Origin::Environment => "Set MESSAGING_API_KEY to another key, or unset it and use `messaging login`".to_owned(),
        Origin::Profile(_) if creations.is_empty() => format!("Store another key: `{program} login`"),
        Origin::Profile(_) => format!("Create and store another key: {}", creations.join(" or ")),
    }
}

async fn of_organization(client: &Client, commands: &Commands, findings: &mut Findings) {
    let organization = client.organization();
    let chat = organization.chat().phone_numbers().list(&OrganizationChatPhoneNumbersListQuery::default());
    each(chat, "chat number", commands, findings, |number| commands.chat_number(number)).await;
    let sms = organization.phone_numbers().list(&PageQuery::default());
    each(sms, "SMS number", commands, findings, |number| commands.sms_number(number)).await;
    let profiles = organization.chat().business_profiles().list(&PageQuery::default());
    let profiles = all(profiles).await.unwrap_or_default();
    for id in profiles.iter().filter_map(|profile| profile["id"].as_str()) {
        let query = OrganizationChatTemplatesListQuery {
            chat_business_profile_id: id.to_owned(),
            ..OrganizationChatTemplatesListQuery::default()
        };
        let templates = organization.chat().templates().list(&query);
        each(templates, "template", commands, findings, |template| commands.template(template)).await;
    }
    attention(client, findings).await;
    let Ok(apps) = all(organization.apps().list(&PageQuery::default())).await else { return };
    for id in apps.iter().filter_map(|app| app["id"].as_str()) {
        let webhooks = organization.apps().webhooks().list(id, &PageQuery::default());
        each(webhooks, "webhook", commands, findings, |webhook| commands.webhook(webhook)).await;
    }
}

/// Kinds of attention that the checks of webhooks, numbers and templates find as well, with complete commands as remedies.
const OF_OBJECTS: [&str; 4] = ["WEBHOOK_DISABLED", "NUMBER_QUALITY_LOW", "TEMPLATE_PAUSED", "TEMPLATE_REJECTED"];

/// Adds what needs attention and is not seen on an object: failing receivers, accounts with problems, keys that end, limits.
async fn attention(client: &Client, findings: &mut Findings) {
    // Installations of earlier releases do not have the list, and keys with scopes may not see it.
    let Ok(needs) = all(client.organization().attention().list(&PageQuery::default())).await else { return };
    let mut is_well = true;
    for need in needs.iter().filter(|need| !OF_OBJECTS.iter().any(|kind| need["kind"] == *kind)) {
        is_well = false;
        let [message, remedy, target] = [&need["message"], &need["remedy"], &need["target"]["id"]];
        let [message, remedy, target] = [message, remedy, target].map(|value| value.as_str().unwrap_or_default());
        let found = format!("{target}: {message}");
        if need["severity"] == "INFO" {
            findings.good("attention", found);
        } else {
            findings.bad("attention", found, remedy);
        }
    }
    if is_well {
        findings.good("attention", "nothing else");
    }
}

/// The status of templates without trouble, and those of templates in trouble.
const TEMPLATE_STATUSES: [&str; 5] = ["APPROVED", "REJECTED", "PAUSED", "DISABLED", "LIMIT_EXCEEDED"];

async fn of_app(client: &Client, commands: &Commands, findings: &mut Findings) {
    let is_chat = |number: &Value| number["kind"] == "chat";
    let check =
        |number: &Value| if is_chat(number) { commands.chat_number(number) } else { commands.sms_number(number) };
    let numbers = client.phone_numbers().list(&PageQuery::default());
    each(numbers.clone(), "number", commands, findings, check).await;
    let numbers = all(numbers).await.unwrap_or_default();

    for id in numbers.iter().filter(|number| is_chat(number)).filter_map(|number| number["id"].as_str()) {
        // With an app key, a list has the templates of one status.
        for status in TEMPLATE_STATUSES {
            let query = ChatTemplatesListQuery {
                chat_phone_number_id: id.to_owned(),
                status: Some(status.to_owned().into()),
                ..ChatTemplatesListQuery::default()
            };
            each(client.chat().templates().list(&query), "template", commands, findings, |template| {
                commands.template(template)
            })
            .await;
        }
    }

    let webhooks = client.webhooks().list(&PageQuery::default());
    each(webhooks, "webhook", commands, findings, |webhook| commands.webhook(webhook)).await;
}

/// Reads a whole list, as the JSON that came.
async fn all<T>(list: Request<List<T>>) -> Result<Vec<Value>, Error> {
    Pages::new(list, None).all().await
}

async fn each<T>(
    list: Request<List<T>>,
    name: &str,
    commands: &Commands,
    findings: &mut Findings,
    check: impl Fn(&Value) -> Option<Trouble>,
) {
    let all = match all(list).await {
        Ok(all) => all,
        Err(error) => {
            return findings.bad(name, error.to_string(), format!("Try again: `{} doctor`", commands.program));
        }
    };
    let mut is_well = true;
    for object in &all {
        let Some(Trouble { found, remedy }) = check(object) else { continue };
        is_well = false;
        let names = ["displayPhoneNumber", "number", "name", "url", "id"];
        let shown = names.iter().find_map(|field| object[field].as_str()).unwrap_or_default();
        findings.bad(name, format!("{shown}: {found}"), remedy);
    }
    if is_well && !all.is_empty() {
        findings.good(name, format!("{} without trouble", all.len()));
    }
}
