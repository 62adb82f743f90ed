//! Templates to create, and changes of templates. They are checked against every limit that the platform documents, so
//! that most mistakes are found before the platform is called. Components are in the platform's own format.

mod authentication;
mod buttons;
mod carousel;
mod edits;
mod fields;
mod offer;
mod same;
mod sample;
mod shapes;
mod texts;
mod variables;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use self::fields::Fields;
use self::shapes::{Rules, Shape};
use super::outgoing::check_template_name;
use crate::Failure;

pub use authentication::{EXPIRY_MINUTES, SUPPORTED_APPS};
pub use buttons::{BUTTON_TEXT_LENGTH, BUTTONS, CODE_LENGTH, PHONE_NUMBER_LENGTH, URL_LENGTH};
pub use carousel::{CARD_BODY_LENGTH, CARD_BUTTONS, CARDS};
pub use edits::{EDITS_PER_30_DAYS, edits_that_count, expect_editable};
pub use offer::OFFER_TEXT_LENGTH;
pub use same::is_same_content;
pub use sample::{FoundSample, HeaderSample, SAMPLE_DOCUMENT_LIMIT, SAMPLE_GIF_LIMIT, SAMPLES_LIMIT};
pub use shapes::{BODY_LENGTH, OFFER_BODY_LENGTH, PRODUCT_BODY_LENGTH};
pub use texts::{FOOTER_LENGTH, HEADER_LENGTH};

/// The types of components, in the order in which the platform shows them.
const KINDS: &[&str] = &["HEADER", "LIMITED_TIME_OFFER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL"];
/// The highest number of components: a template with an offer has no footer, and one with cards only a body beside them.
pub const MOST_COMPONENTS: usize = 4;
/// The value of a time to live that stands for 30 days.
pub const THIRTY_DAYS: i64 = -1;

/// The category of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = NewChatTemplateCategory)]
pub enum Category {
    Authentication,
    Marketing,
    Utility,
}

/// How the variables of a template are written: `{{1}}`, or `{{name}}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = NewChatTemplateParameterFormat)]
pub enum ParameterFormat {
    Positional,
    Named,
}

/// A template to create.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateDraft {
    pub name: String,
    pub language: String,
    pub category: Category,
    pub components: Vec<Value>,
    /// `None` stands for positional.
    pub parameter_format: Option<ParameterFormat>,
    /// How long WhatsApp tries to deliver a message, in seconds.
    pub message_send_ttl_seconds: Option<i64>,
}

/// A change of a template. Absent fields keep their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TemplateEdit {
    pub category: Option<Category>,
    pub components: Option<Vec<Value>>,
    pub message_send_ttl_seconds: Option<i64>,
}

impl Category {
    /// Returns the category with the platform's name of it; `None` for one that cannot be chosen.
    pub fn of(name: &str) -> Option<Self> {
        [Category::Authentication, Category::Marketing, Category::Utility].into_iter().find(|one| one.as_str() == name)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Category::Authentication => "AUTHENTICATION",
            Category::Marketing => "MARKETING",
            Category::Utility => "UTILITY",
        }
    }

    /// Returns the times to live that can be chosen, in seconds, and whether -1 can stand for 30 days.
    pub fn times_to_live(self) -> (RangeInclusive<i64>, bool) {
        match self {
            Category::Authentication => (30..=900, true),
            Category::Utility => (30..=43_200, true),
            Category::Marketing => (43_200..=2_592_000, false),
        }
    }
}

impl ParameterFormat {
    /// Returns the format with the platform's name of it; positional if it has none.
    pub fn of(name: Option<&str>) -> Self {
        if name == Some(ParameterFormat::Named.as_str()) { ParameterFormat::Named } else { ParameterFormat::Positional }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            ParameterFormat::Positional => "POSITIONAL",
            ParameterFormat::Named => "NAMED",
        }
    }

    fn sample(self) -> &'static str {
        match self {
            ParameterFormat::Positional => "{{1}}",
            ParameterFormat::Named => "{{first_name}}",
        }
    }
}

impl TemplateDraft {
    /// Validates the template, and returns it with its enumerations in upper case, as the platform returns them.
    pub fn checked(self) -> Result<Self, Failure> {
        check_template_name(&self.name, "name")?;
        check_language(&self.language)?;
        let format = self.parameter_format.unwrap_or(ParameterFormat::Positional);
        if (self.category, format) == (Category::Authentication, ParameterFormat::Named) {
            let message = "parameterFormat must be POSITIONAL for an AUTHENTICATION template, or be omitted.";
            return Err(Failure::invalid("parameterFormat", message));
        }
        let components = checked_components(self.components, self.category, format, &self.language)?;
        check_time_to_live(self.message_send_ttl_seconds, self.category)?;
        Ok(TemplateDraft { components, ..self })
    }
}

impl TemplateEdit {
    /// Validates the change of a template of this category, format and language, and returns it as [`TemplateDraft::checked`]
    /// does.
    pub fn checked(self, before: Category, format: ParameterFormat, language: &str) -> Result<Self, Failure> {
        let category = self.category.unwrap_or(before);
        let is_other_shape = (category == Category::Authentication) != (before == Category::Authentication);
        if is_other_shape && self.components.is_none() {
            let message = "components is required: the components of an AUTHENTICATION template differ from those of other templates.";
            return Err(Failure::invalid("components", message));
        }
        let checked = |components| checked_components(components, category, format, language);
        let components = self.components.map(checked).transpose()?;
        check_time_to_live(self.message_send_ttl_seconds, category)?;
        Ok(TemplateEdit { components, ..self })
    }
}

/// Validates the code of a language as the platform writes it: `en`, `en_US`.
fn check_language(language: &str) -> Result<(), Failure> {
    let (first, second) = language.split_once('_').map_or((language, None), |(first, second)| (first, Some(second)));
    let is_language = (2..=3).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_country =
        |country: &str| (2..=3).contains(&country.len()) && country.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_language && second.is_none_or(is_country) {
        return Ok(());
    }
    let message = "language must be a WhatsApp language code, such as en or en_US.";
    Err(Failure::invalid("language", message))
}

fn check_time_to_live(seconds: Option<i64>, category: Category) -> Result<(), Failure> {
    let Some(seconds) = seconds else { return Ok(()) };
    let (allowed, may_be_thirty_days) = category.times_to_live();
    if allowed.contains(&seconds) || (may_be_thirty_days && seconds == THIRTY_DAYS) {
        return Ok(());
    }
    let or_thirty_days = if may_be_thirty_days { format!(", or {THIRTY_DAYS} for 30 days") } else { String::new() };
    let (param, least, most) = ("messageSendTtlSeconds", allowed.start(), allowed.end());
    let message = format!("{param} must be from {least} to {most} in category {}{or_thirty_days}.", category.as_str());
    Err(Failure::invalid(param, message))
}

/// Validates components, and returns them with their enumerations in upper case.
fn checked_components(
    mut components: Vec<Value>,
    category: Category,
    format: ParameterFormat,
    language: &str,
) -> Result<Vec<Value>, Failure> {
    const AT: &str = "components";
    let is_english = language == "en" || language.starts_with("en_");
    let rules = Rules { category, format, shape: Shape::of(&components), is_english };
    let mut seen: Vec<&str> = Vec::with_capacity(KINDS.len());

    for (index, component) in components.iter().enumerate() {
        let component = Fields::of(component, format!("{AT}[{index}]"))?;
        let kind = kind_of(&component)?;
        if seen.contains(&kind) {
            let at = component.at();
            return Err(Failure::invalid(
                at,
                format!("{at} is a second {kind}. A template may have one of each type."),
            ));
        }
        seen.push(kind);
        check_component(&component, kind, rules)?;
    }

    let is_code = category == Category::Authentication;
    let required: &[&str] = if is_code { &["BODY", "BUTTONS"] } else { rules.shape.required() };
    if let Some(missing) = required.iter().find(|kind| !seen.contains(kind)) {
        return Err(Failure::invalid(AT, format!("{AT} must have a component of type {missing}.")));
    }
    components.iter_mut().for_each(write_upper_case);
    Ok(components)
}

fn kind_of(component: &Fields<'_>) -> Result<&'static str, Failure> {
    component.one_of("type", KINDS).map_err(|failure| {
        let is_unknown = component.text("type").is_ok_and(|kind| kind.is_some());
        let hint = "Templates with other components can be created in WhatsApp Manager, and synced.";
        if is_unknown { failure.with_hints([hint.to_owned()]) } else { failure }
    })
}

fn check_component(component: &Fields<'_>, kind: &str, rules: Rules) -> Result<(), Failure> {
    if rules.category == Category::Authentication {
        return check_component_of_code(component, kind, rules);
    }
    rules.shape.expect_allows(component, kind)?;
    match kind {
        "HEADER" => texts::check_header(component, rules),
        "BODY" => texts::check_body(component, rules.shape.body_length(), rules.format),
        "FOOTER" => texts::check_footer(component),
        "CAROUSEL" => carousel::check(component, rules),
        "LIMITED_TIME_OFFER" => offer::check(component, rules),
        _ => buttons::check_buttons(component, rules),
    }
}

/// Validates a component of a template for one-time codes.
fn check_component_of_code(component: &Fields<'_>, kind: &str, rules: Rules) -> Result<(), Failure> {
    let at = component.at();
    match kind {
        "BODY" => authentication::check_body(component),
        "FOOTER" => authentication::check_footer(component),
        "BUTTONS" => authentication::check_buttons(component),
        "HEADER" => {
            Err(Failure::invalid(at, format!("{at} is not allowed: an AUTHENTICATION template has no header.")))
        }
        _ => rules.expect_marketing(at, &format!("a component of type {kind}")),
    }
}

/// Writes the enumerations of a valid component in upper case, as the platform returns them: its own, and those of its
/// buttons and cards.
fn write_upper_case(component: &mut Value) {
    for name in ["type", "format", "otp_type"] {
        if let Some(Value::String(text)) = component.get_mut(name) {
            text.make_ascii_uppercase();
        }
    }
    for list in ["buttons", "cards", "components"] {
        let parts = component.get_mut(list).and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(write_upper_case);
    }
}

#[cfg(test)]
mod tests;
