//! The media and the template that the content of a message names, in this API's form or in the platform's.

use domain::Failure;
use domain::chat::outgoing::{Content, ContentKind, MediaUse, Parameters, Template};
use serde_json::Value;

use super::matching::{self, KindOf};
use super::{components, raw};

/// The template that a message names, and the path of its object.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateUse {
    template: Template,
    at: &'static str,
}

/// Returns the uploaded media that the content names.
pub fn media(content: &Content) -> Vec<MediaUse> {
    match content.kind() {
        ContentKind::Medium(medium) => medium.media_use().into_iter().collect(),
        ContentKind::Interactive(interactive) => interactive.media_use("interactive").into_iter().collect(),
        ContentKind::Template(_) | ContentKind::Raw(_) => {
            named_template(content).iter().flat_map(TemplateUse::media).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the template that the content names, including that of a raw message.
pub fn named_template(content: &Content) -> Option<TemplateUse> {
    match content.kind() {
        ContentKind::Template(template) => Some(TemplateUse { template: template.clone(), at: "template" }),
        ContentKind::Raw(raw) => raw::template(raw).map(|template| TemplateUse { template, at: raw::TEMPLATE_PATH }),
        _ => None,
    }
}

impl TemplateUse {
    pub fn name(&self) -> &str {
        &self.template.name
    }

    pub fn language(&self) -> &str {
        &self.template.language
    }

    /// Returns the path of the template's name.
    pub fn name_param(&self) -> String {
        format!("{}.name", self.at)
    }

    /// Compares the parameters with the stored components of the template: number, names, format of the header, buttons,
    /// cards and offer. `kind_of` returns the kinds of the media that the message names.
    pub fn check(&self, components: &Value, kind_of: KindOf<'_>) -> Result<(), Failure> {
        matching::check(&self.template.parameters, self.at, components, kind_of)
    }

    fn media(&self) -> Vec<MediaUse> {
        match &self.template.parameters {
            Parameters::Short(short) => short.media_uses(self.at),
            Parameters::Components(all) => components::media_uses(all, &format!("{}.components", self.at)),
        }
    }
}
