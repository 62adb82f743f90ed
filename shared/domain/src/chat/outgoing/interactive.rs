//! Interactive messages: buttons, lists, links, requests for the location, and flows.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::checks;
use super::flow::Flow;
use super::reference::{MediaUse, Source};
use crate::Failure;
use crate::media::MediaKind;

pub const HEADER_LENGTH: usize = 60;
pub const BODY_LENGTH: usize = 1024;
pub const LIST_BODY_LENGTH: usize = 4096;
pub const FOOTER_LENGTH: usize = 60;
pub const BUTTONS: RangeInclusive<usize> = 1..=3;
pub const BUTTON_ID_LENGTH: usize = 256;
/// The longest title of a button, in characters.
pub const TITLE_LENGTH: usize = 20;
pub const SECTIONS: RangeInclusive<usize> = 1..=10;
/// The number of rows of a list, over all its sections.
pub const ROWS: RangeInclusive<usize> = 1..=10;
pub const ROW_ID_LENGTH: usize = 200;
pub const ROW_TITLE_LENGTH: usize = 24;
pub const ROW_DESCRIPTION_LENGTH: usize = 72;

/// The kinds of media that a header can have.
pub(super) const HEADER_KINDS: &[MediaKind] = &[MediaKind::Image, MediaKind::Video, MediaKind::Document];

/// An interactive message.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interactive {
    pub header: Option<Header>,
    pub body: String,
    pub footer: Option<String>,
    pub action: Action,
}

/// The header, which is shown above the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Header {
    Text(String),
    Medium(Source),
}

/// The action that the message offers to the recipient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Buttons(Vec<Button>),
    List(List),
    CtaUrl(Link),
    LocationRequest,
    Flow(Flow),
}

/// A button whose press is sent back as a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Button {
    pub id: String,
    pub title: String,
}

/// A list that opens at the press of a button.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct List {
    pub button_text: String,
    pub sections: Vec<Section>,
}

/// A section of a list.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    pub title: Option<String>,
    pub rows: Vec<Row>,
}

/// A row of a list.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub id: String,
    pub title: String,
    pub description: Option<String>,
}

/// A button that opens a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub display_text: String,
    pub url: String,
}

impl Interactive {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        let is_list = matches!(self.action, Action::List(_));
        match &self.header {
            Some(Header::Text(text)) => checks::line(text, &format!("{at}.header.text"), HEADER_LENGTH)?,
            Some(Header::Medium(_)) if is_list => {
                let param = format!("{at}.header");
                return Err(Failure::invalid(&param, format!("{param} of a list must be {{\"text\": ...}}.")));
            }
            _ => {}
        }

        let longest = if is_list { LIST_BODY_LENGTH } else { BODY_LENGTH };
        checks::lines(&self.body, &format!("{at}.body"), longest)?;
        let footer = |value: &str, param: &str| checks::line(value, param, FOOTER_LENGTH);
        checks::optional(self.footer.as_ref(), &format!("{at}.footer"), footer)?;

        match &self.action {
            Action::Buttons(buttons) => check_buttons(buttons, &format!("{at}.buttons")),
            Action::List(list) => list.check(at),
            Action::CtaUrl(link) => {
                checks::line(&link.display_text, &format!("{at}.displayText"), TITLE_LENGTH)?;
                checks::url(&link.url, &format!("{at}.url"))
            }
            Action::LocationRequest => Ok(()),
            Action::Flow(flow) => flow.check(at),
        }
    }

    /// Returns the uploaded medium in the header of the message in `at`.
    pub fn media_use(&self, at: &str) -> Option<MediaUse> {
        match self.header.as_ref()? {
            Header::Text(_) => None,
            Header::Medium(source) => source.media_use(&format!("{at}.header"), HEADER_KINDS),
        }
    }
}

fn check_buttons(buttons: &[Button], at: &str) -> Result<(), Failure> {
    checks::count(buttons.len(), at, &BUTTONS)?;
    let (mut ids, mut titles) = (BTreeSet::new(), BTreeSet::new());
    for (index, button) in buttons.iter().enumerate() {
        let (id, title) = (format!("{at}[{index}].id"), format!("{at}[{index}].title"));
        checks::token(&button.id, &id, BUTTON_ID_LENGTH)?;
        checks::line(&button.title, &title, TITLE_LENGTH)?;
        checks::unique(&mut ids, &button.id, &id)?;
        checks::unique(&mut titles, &button.title, &title)?;
    }
    Ok(())
}

impl List {
    fn check(&self, at: &str) -> Result<(), Failure> {
        checks::line(&self.button_text, &format!("{at}.buttonText"), TITLE_LENGTH)?;
        let at = format!("{at}.sections");
        checks::count(self.sections.len(), &at, &SECTIONS)?;

        let mut ids = BTreeSet::new();
        for (index, section) in self.sections.iter().enumerate() {
            let at = format!("{at}[{index}]");
            let title = format!("{at}.title");
            if section.title.is_none() && self.sections.len() > 1 {
                return Err(Failure::invalid(&title, format!("{title} is required in a list of several sections.")));
            }
            let line = |value: &str, param: &str| checks::line(value, param, ROW_TITLE_LENGTH);
            checks::optional(section.title.as_ref(), &title, line)?;
            checks::count(section.rows.len(), &format!("{at}.rows"), &ROWS)?;
            for (index, row) in section.rows.iter().enumerate() {
                let at = format!("{at}.rows[{index}]");
                row.check(&at)?;
                checks::unique(&mut ids, &row.id, &format!("{at}.id"))?;
            }
        }

        let rows = self.sections.iter().map(|section| section.rows.len()).sum();
        if ROWS.contains(&rows) {
            return Ok(());
        }
        let message = format!("{at} may have at most {} rows in total. These have {rows}.", ROWS.end());
        Err(Failure::invalid(&at, message))
    }
}

impl Row {
    fn check(&self, at: &str) -> Result<(), Failure> {
        checks::token(&self.id, &format!("{at}.id"), ROW_ID_LENGTH)?;
        checks::line(&self.title, &format!("{at}.title"), ROW_TITLE_LENGTH)?;
        let line = |value: &str, param: &str| checks::line(value, param, ROW_DESCRIPTION_LENGTH);
        checks::optional(self.description.as_ref(), &format!("{at}.description"), line)
    }
}
