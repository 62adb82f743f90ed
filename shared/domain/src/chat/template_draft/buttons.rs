//! The buttons of a template.

use serde_json::Value;

use super::ParameterFormat;
use super::fields::{Fields, line};
use super::shapes::Rules;
use super::variables::{example_text, variables};
use crate::{Failure, text};

pub const BUTTONS: usize = 10;
pub const BUTTON_TEXT_LENGTH: usize = 25;
pub const URL_LENGTH: usize = 2000;
pub const PHONE_NUMBER_LENGTH: usize = 20;
pub const CODE_LENGTH: usize = 15;
const FLOW_NAME_LENGTH: usize = 200;

/// The buttons that a template, or a card of it, can have.
pub(super) struct Allowed {
    /// Who has the buttons, for messages.
    pub(super) owner: &'static str,
    /// The highest number of buttons.
    pub(super) most: usize,
    /// The kinds of buttons, with the highest number of each.
    pub(super) kinds: &'static [(&'static str, usize)],
}

const OF_TEMPLATE: Allowed = Allowed {
    owner: "a template",
    most: BUTTONS,
    kinds: &[
        ("QUICK_REPLY", BUTTONS),
        ("URL", 2),
        ("PHONE_NUMBER", 1),
        ("COPY_CODE", 1),
        ("FLOW", 1),
        ("CATALOG", 1),
        ("MPM", 1),
        ("SPM", 1),
        ("VOICE_CALL", 1),
    ],
};

/// The kinds of buttons whose text is the platform's, with the text in English.
const FIXED_TEXTS: [(&str, &str); 3] = [("CATALOG", "View catalog"), ("MPM", "View items"), ("SPM", "View")];

pub(super) fn check_buttons(component: &Fields<'_>, rules: Rules) -> Result<(), Failure> {
    let kinds = checked_kinds(component, rules, &OF_TEMPLATE)?;
    rules.shape.expect_buttons(&kinds, &component.param("buttons"))
}

/// Validates buttons, and returns their kinds.
pub(super) fn checked_kinds(
    component: &Fields<'_>,
    rules: Rules,
    allowed: &Allowed,
) -> Result<Vec<&'static str>, Failure> {
    component.expect_only(&["type", "buttons"])?;
    let (buttons, param) = (component.required_list("buttons")?, component.param("buttons"));
    if !(1..=allowed.most).contains(&buttons.len()) {
        let message = match allowed.most {
            1 => format!("{param} must have one button. This one has {}.", buttons.len()),
            most => format!("{param} must have 1 to {most} buttons. This one has {}.", buttons.len()),
        };
        return Err(Failure::invalid(&param, message));
    }

    let names: Vec<&'static str> = allowed.kinds.iter().map(|(kind, _)| *kind).collect();
    let mut kinds = Vec::with_capacity(buttons.len());
    for (index, button) in buttons.iter().enumerate() {
        let button = Fields::of(button, format!("{param}[{index}]"))?;
        let kind = button.one_of("type", &names)?;
        kinds.push(kind);
        let most = allowed.kinds.iter().find(|(known, _)| *known == kind).map_or(allowed.most, |(_, most)| *most);
        if kinds.iter().filter(|known| **known == kind).count() > most {
            let (at, owner) = (button.at(), allowed.owner);
            return Err(Failure::invalid(at, format!("{at} is one too many: {owner} may have {most} {kind}.")));
        }
        check_button(&button, kind, rules)?;
    }
    expect_grouped(&kinds, &param)?;
    Ok(kinds)
}

/// Quick replies stand together, before or after all other buttons.
fn expect_grouped(kinds: &[&str], param: &str) -> Result<(), Failure> {
    let is_reply = |kind: &str| kind == "QUICK_REPLY";
    let changes = |index: &usize| is_reply(kinds[*index]) != is_reply(kinds[index - 1]);
    let Some(second) = (1..kinds.len()).filter(changes).nth(1) else { return Ok(()) };
    let param = format!("{param}[{second}]");
    let message =
        format!("{param} separates the quick replies. Put all of them before, or after, the buttons of other types.");
    Err(Failure::invalid(&param, message))
}

fn check_button(button: &Fields<'_>, kind: &str, rules: Rules) -> Result<(), Failure> {
    if let Some((_, fixed)) = FIXED_TEXTS.into_iter().find(|(known, _)| *known == kind) {
        rules.expect_marketing(&button.param("type"), &format!("a button of type {kind}"))?;
        return check_fixed_text(button, fixed, rules);
    }
    if kind == "COPY_CODE" {
        button.expect_only(&["type", "text", "example"])?;
        if button.has("text") {
            button.plain_line("text", BUTTON_TEXT_LENGTH)?;
        }
        return check_code(button);
    }
    let text_alone = |fields: &[&str]| {
        button.expect_only(&[&["type", "text"], fields].concat())?;
        button.plain_line("text", BUTTON_TEXT_LENGTH).map(|_| ())
    };
    match kind {
        "URL" => {
            text_alone(&["url", "example"])?;
            check_url(button, rules.format)
        }
        "PHONE_NUMBER" => {
            text_alone(&["phone_number"])?;
            check_phone_number(button)
        }
        "FLOW" => {
            text_alone(&["flow_id", "flow_name", "flow_action", "navigate_screen", "icon"])?;
            check_flow(button)
        }
        "VOICE_CALL" => {
            text_alone(&["ttl_minutes"])?;
            button.integer("ttl_minutes").map(|_| ())
        }
        _ => text_alone(&[]),
    }
}

/// Validates a button whose text is the platform's, which documents it in English only.
fn check_fixed_text(button: &Fields<'_>, fixed: &str, rules: Rules) -> Result<(), Failure> {
    button.expect_only(&["type", "text"])?;
    let sent = button.plain_line("text", BUTTON_TEXT_LENGTH)?;
    if !rules.is_english || sent == fixed {
        return Ok(());
    }
    let param = button.param("text");
    Err(Failure::invalid(&param, format!("{param} must be {fixed}: WhatsApp does not let this text be changed.")))
}

fn check_url(button: &Fields<'_>, format: ParameterFormat) -> Result<(), Failure> {
    let (url, param) = (button.required_text("url")?, button.param("url"));
    line(url, &param, URL_LENGTH)?;
    // The variable of a URL is always a number, even if the other variables have names.
    let found = variables(url, &param, ParameterFormat::Positional).or_else(|failure| match format {
        ParameterFormat::Positional => Err(failure),
        ParameterFormat::Named => variables(url, &param, format),
    })?;

    let fixed = match url.split_once("{{") {
        None => url,
        Some((fixed, rest)) => {
            if found.len() > 1 || rest.find("}}").is_none_or(|end| end + 2 != rest.len()) {
                let message = format!("{param} may have one variable, at its end.");
                return Err(Failure::invalid(&param, message));
            }
            fixed
        }
    };
    text::website(fixed, &param, URL_LENGTH)?;

    let at = button.param("example");
    match (found.is_empty(), button.list("example")?) {
        (true, None) => Ok(()),
        (true, Some(_)) => {
            Err(Failure::invalid(&at, format!("{at} is not allowed: the URL has no variable. Omit it.")))
        }
        (false, Some([only])) => example_text(only, &format!("{at}[0]")),
        (false, _) => {
            let message = format!("{at} must be a list with one example of the URL, such as [\"{fixed}summer\"].");
            Err(Failure::invalid(&at, message))
        }
    }
}

fn check_phone_number(button: &Fields<'_>) -> Result<(), Failure> {
    let (sent, param) = (button.required_text("phone_number")?, button.param("phone_number"));
    let digits = sent.strip_prefix('+').unwrap_or(sent);
    let is_number = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && sent.len() <= PHONE_NUMBER_LENGTH {
        return Ok(());
    }
    let message = format!(
        "{param} must be a phone number of digits with the country's code, at most {PHONE_NUMBER_LENGTH} characters, \
         such as +12015550123."
    );
    Err(Failure::invalid(&param, message))
}

/// Validates the button that copies a code. The platform accepts its example as a text, and returns it in a list.
fn check_code(button: &Fields<'_>) -> Result<(), Failure> {
    let param = button.param("example");
    match button.list("example") {
        Ok(None) => Err(Failure::missing(&param)),
        Ok(Some([Value::String(code)])) => line(code, &format!("{param}[0]"), CODE_LENGTH),
        Ok(Some(_)) => Err(Failure::invalid(&param, format!("{param} must be one code, a string."))),
        Err(_) => line(button.required_text("example")?, &param, CODE_LENGTH),
    }
}

fn check_flow(button: &Fields<'_>) -> Result<(), Failure> {
    let (id, name) = (button.text("flow_id")?, button.text("flow_name")?);
    match (id, name) {
        (Some(id), None) => line(id, &button.param("flow_id"), FLOW_NAME_LENGTH)?,
        (None, Some(name)) => line(name, &button.param("flow_name"), FLOW_NAME_LENGTH)?,
        _ => {
            let at = button.at();
            return Err(Failure::invalid(at, format!("{at} must have either flow_id or flow_name.")));
        }
    }
    for optional in ["navigate_screen", "icon"] {
        if let Some(sent) = button.text(optional)? {
            line(sent, &button.param(optional), FLOW_NAME_LENGTH)?;
        }
    }
    if button.has("flow_action") {
        button.one_of("flow_action", &["navigate", "data_exchange"])?;
    }
    Ok(())
}
