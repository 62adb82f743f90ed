//! What can be wrong with a number, a template or a webhook, each with the commands that mend it.

use messaging_client::segment;
use serde_json::Value;

use super::clock::days_before;
use crate::session::quoted;

/// A webhook is disabled at most so many days after its receiver has failed for the first time, retries included.
const LONGEST_OUTAGE_DAYS: u64 = 7;

/// What is wrong with an object, and what to do about it.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) found: &'static str,
    pub(super) remedy: String,
}

/// What complete commands need to know besides the object.
pub(super) struct Commands {
    /// How commands begin: `messaging --local`.
    pub(super) program: String,
    pub(super) organization: String,
    /// Whether there is a key for operations of the organization.
    pub(super) has_organization_key: bool,
}

fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_default()
}

impl Commands {
    pub(super) fn chat_number(&self, number: &Value) -> Option<Trouble> {
        let Commands { program, .. } = self;
        let (shown, id) = (quoted(text(number, "displayPhoneNumber")), quoted(text(number, "id")));
        let profile = quoted(text(&number["businessProfile"], "id"));
        let registration = || {
            let fields = ["displayPhoneNumber", "providerPhoneNumberId", "providerBusinessAccountId"];
            let fields = fields.map(|name| format!(" -f {name}={}", quoted(text(number, name)))).concat();
            format!("`{program} api POST /v1/organization/chat/phone-numbers{fields}`{}", self.hint())
        };
        let (found, remedy) = match (&number["verified"], &number["cloudApiRegistered"], text(number, "qualityRating"))
        {
            (Value::Bool(false), ..) => (
                "is not verified",
                format!("Verify {shown} in Meta's WhatsApp Manager. Then register it: {}", registration()),
            ),
            (_, Value::Bool(false), _) => {
                ("is not registered and cannot send", format!("Register it: {}", registration()))
            }
            (.., "RED") => (
                "has the lowest quality rating",
                format!(
                    "Send less that recipients report or block; the platform may reduce the number's limit. \
                     `{program} messages list --number {id} --direction OUTBOUND` shows what was sent, and \
                     `{program} check {profile}` what the platform reports.{}",
                    self.hint()
                ),
            ),
            _ => return None,
        };
        Some(Trouble { found, remedy })
    }

    pub(super) fn sms_number(&self, number: &Value) -> Option<Trouble> {
        let Commands { program, organization, .. } = self;
        let (found, remedy) = match text(number, "carrierStatus") {
            // Numbers of test apps are simulated and need no carrier.
            "UNLINKED" if number["isTestNumber"] != true => (
                "is not linked to the carrier and cannot send",
                format!(
                    "The operator of the installation links it: `make link-number NUMBER={} ORGANIZATION={organization}`",
                    quoted(text(number, "number"))
                ),
            ),
            "RELEASING" => (
                "is being released",
                format!(
                    "Use another number: `{program} api GET {} --all`",
                    match self.has_organization_key {
                        true => "/v1/organization/phone-numbers",
                        false => "/v1/phone-numbers",
                    }
                ),
            ),
            _ => return None,
        };
        Some(Trouble { found, remedy })
    }

    pub(super) fn template(&self, template: &Value) -> Option<Trouble> {
        let Commands { program, .. } = self;
        let id = quoted(text(template, "id"));
        let edit = format!(
            "`{program} templates show {id} --get components > components.json`, then change the file, then \
             `{program} templates edit {id} --components components.json`{}",
            self.hint()
        );
        let (found, remedy) = match text(template, "status") {
            "REJECTED" => (
                "was rejected",
                format!("`{program} templates show {id}` says why (rejectedReason). Correct it: {edit}"),
            ),
            "PAUSED" => {
                ("is paused for low quality", format!("Wait for the end of the pause, and improve its text: {edit}"))
            }
            "DISABLED" | "LIMIT_EXCEEDED" => {
                let profile = quoted(text(template, "chatBusinessProfileId"));
                let list = format!("`{program} templates list --account {profile} --status APPROVED`");
                ("is disabled", format!("Use another template: {list}{}", self.hint()))
            }
            _ => return None,
        };
        Some(Trouble { found, remedy })
    }

    pub(super) fn webhook(&self, webhook: &Value) -> Option<Trouble> {
        if !webhook["disabledAt"].is_string() {
            return None;
        }
        let Commands { program, .. } = self;
        let [id, app, url, disabled_at] = ["id", "appId", "url", "disabledAt"].map(|field| text(webhook, field));
        let since = days_before(disabled_at, LONGEST_OUTAGE_DAYS).unwrap_or_else(|| disabled_at.to_owned());
        let (path, option) = match self.has_organization_key {
            true => (format!("/v1/organization/apps/{}/webhooks", segment(app)), format!(" --app {}", quoted(app))),
            false => ("/v1/webhooks".to_owned(), String::new()),
        };
        let remedy = format!(
            "Mend the receiver. Then enable the webhook: `{program} api PUT {path}/{} -f {}`, and repeat what failed or was \
             skipped: `{program} webhooks recover {} --since {}{option}`",
            segment(id),
            quoted(&format!("url={url}")),
            quoted(id),
            quoted(&since)
        );
        Some(Trouble { found: "is disabled, so its deliveries are skipped", remedy })
    }

    /// What to add to a command that only an admin key may run.
    fn hint(&self) -> &'static str {
        if self.has_organization_key { "" } else { " (with an admin key, which `messaging login` stores)" }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::json;

    use super::*;
    use crate::args::Arguments;

    /// Every trouble of every kind of object, with an admin key and without one.
    fn troubles() -> Vec<Trouble> {
        let number = |field: &str, value: Value| {
            let mut number = json!({
                "id": "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "displayPhoneNumber": "+12015550101", "verified": true,
                "providerPhoneNumberId": "106540352242922", "providerBusinessAccountId": "102290129340398",
                "cloudApiRegistered": true, "businessProfile": {"id": "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv"},
            });
            number[field] = value;
            number
        };
        let sms = |status: &str| json!({"id": "ph_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "number": "+12015550101", "carrierStatus": status});
        let template = |status: &str| {
            let profile = "wabp_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
            json!({"id": "572279198452421", "chatBusinessProfileId": profile, "status": status})
        };
        let webhook = json!({
            "id": "whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "appId": "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            "url": "https://example.com/hook?a=1&b=2", "disabledAt": "2026-11-23T11:00:00.000Z",
        });
        let of = |commands: Commands| {
            let chat = [
                number("verified", json!(false)),
                number("cloudApiRegistered", json!(false)),
                number("qualityRating", json!("RED")),
            ];
            let mut found: Vec<_> = chat.iter().map(|number| commands.chat_number(number)).collect();
            found.extend(["UNLINKED", "RELEASING"].map(|status| commands.sms_number(&sms(status))));
            let statuses = ["REJECTED", "PAUSED", "DISABLED", "LIMIT_EXCEEDED"];
            found.extend(statuses.map(|status| commands.template(&template(status))));
            found.push(commands.webhook(&webhook));
            assert!(commands.chat_number(&number("qualityRating", json!("GREEN"))).is_none());
            found.into_iter().map(|trouble| trouble.expect("a trouble")).collect::<Vec<_>>()
        };
        let organization = || "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned();
        [("messaging --local", true), ("messaging --profile 'a b'", true), ("messaging", false)]
            .into_iter()
            .flat_map(|(program, has_organization_key)| {
                of(Commands { program: program.to_owned(), organization: organization(), has_organization_key })
            })
            .collect()
    }

    /// Splits a command as a shell does; it has no other quotes than single ones.
    fn words(command: &str) -> Vec<String> {
        let (mut words, mut is_quoted) = (vec![String::new()], false);
        for letter in command.chars() {
            match letter {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                letter => words.last_mut().expect("a word").push(letter),
            }
        }
        words
    }

    #[test]
    fn remedies_are_complete_commands() {
        let mut tried = 0;
        for trouble in troubles() {
            let commands: Vec<&str> = trouble.remedy.split('`').skip(1).step_by(2).collect();
            assert!(!commands.is_empty() && trouble.remedy.matches('`').count() % 2 == 0, "{trouble:?}");
            for command in commands {
                let is_filled_in = !command.contains("...") && !command.contains("_ID") && !command.contains("= ");
                assert!(is_filled_in && !command.ends_with('='), "{command}");
                let run = command.split(" > ").next().unwrap_or_default();
                match run.starts_with("messaging") {
                    true => {
                        drop(Arguments::try_parse_from(words(run)).unwrap_or_else(|error| panic!("{command}: {error}")))
                    }
                    false => {
                        assert!(run.starts_with("make link-number NUMBER=+12015550101 ORGANIZATION=org_0"), "{command}")
                    }
                }
                tried += 1;
            }
        }
        assert!(tried > 40, "{tried}");
    }
}
