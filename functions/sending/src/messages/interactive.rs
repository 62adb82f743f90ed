//! The object of an interactive message, as it is sent to this API.

use domain::Failure;
use domain::chat::outgoing::{
    Action, Button, Content, Flow, FlowAction, FlowMode, FlowName, Header, Interactive, Link, List, Row, Section,
    Source, flow, interactive,
};
use domain::id::MediaId;
use domain::present::present;
use domain::schema::{HttpsUrl, JsonObject, Line, Lines};
use domain::text::NAME_LENGTH;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

const AT: &str = "interactive";

/// The fields that all kinds have.
pub(super) const COMMON_FIELDS: [&str; 4] = ["kind", "header", "body", "footer"];

/// The kind of an interactive message.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Buttons,
    List,
    CtaUrl,
    LocationRequest,
    Flow,
}

impl Kind {
    pub(super) const ALL: [Kind; 5] = [Kind::Buttons, Kind::List, Kind::CtaUrl, Kind::LocationRequest, Kind::Flow];

    /// Returns the kind's name, and the fields that only this kind has.
    pub(super) fn fields(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Kind::Buttons => ("buttons", &["buttons"]),
            Kind::List => ("list", &["buttonText", "sections"]),
            Kind::CtaUrl => ("cta_url", &["displayText", "url"]),
            Kind::LocationRequest => ("location_request", &[]),
            Kind::Flow => ("flow", &["flowId", "flowName", "cta", "token", "mode", "action", "screen", "data"]),
        }
    }
}

/// An interactive message of any kind. `kind` determines which of the other fields it has. Its schema is
/// [`SendInteractive`](super::interactive_schema::SendInteractive).
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct InteractiveObject {
    #[schema(value_type = String)]
    kind: Kind,
    header: Option<HeaderObject>,
    #[schema(inline, value_type = Lines<{ interactive::LIST_BODY_LENGTH }>)]
    body: String,
    /// The small text below the body.
    #[schema(inline, value_type = Option<Line<{ interactive::FOOTER_LENGTH }>>)]
    footer: Option<String>,
    /// The reply buttons. Their ids and titles must be unique.
    #[schema(min_items = 1, max_items = 3)]
    buttons: Option<Vec<ButtonObject>>,
    /// The text of the button that opens the list.
    #[schema(inline, value_type = Option<Line<{ interactive::TITLE_LENGTH }>>)]
    button_text: Option<String>,
    /// The sections of the list. At most 10 rows in total.
    #[schema(min_items = 1, max_items = 10)]
    sections: Option<Vec<SectionObject>>,
    /// The text of the button that opens the URL.
    #[schema(inline, value_type = Option<Line<{ interactive::TITLE_LENGTH }>>)]
    display_text: Option<String>,
    #[schema(value_type = Option<HttpsUrl>)]
    url: Option<String>,
    /// The id of the flow. Either `flowId` or `flowName` is required.
    #[schema(inline, value_type = Option<Line<{ flow::ID_LENGTH }>>)]
    flow_id: Option<String>,
    /// The name of the flow, in place of its id.
    #[schema(inline, value_type = Option<Line<{ NAME_LENGTH }>>)]
    flow_name: Option<String>,
    /// The text of the button that opens the flow.
    #[schema(inline, value_type = Option<Line<{ flow::CTA_LENGTH }>>)]
    cta: Option<String>,
    /// A value that the flow's response contains.
    #[schema(inline, value_type = Option<Line<{ flow::TOKEN_LENGTH }>>)]
    token: Option<String>,
    /// `published` by default.
    mode: Option<FlowMode>,
    /// `navigate` by default.
    action: Option<FlowAction>,
    /// The first screen. Required with the action `navigate`, and with `data`.
    #[schema(inline, value_type = Option<Line<{ NAME_LENGTH }>>)]
    screen: Option<String>,
    /// The data of the first screen.
    #[schema(value_type = Option<JsonObject>)]
    data: Option<Map<String, Value>>,
}

/// The header above the body: exactly one field. A URL without the extension of a video (`.mp4`, `.3gp`) or a document
/// (such as `.pdf`) is an image. Lists have text only.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendInteractiveHeader, min_properties = 1, max_properties = 1)]
pub(super) struct HeaderObject {
    #[schema(inline, value_type = Option<Line<{ interactive::HEADER_LENGTH }>>)]
    text: Option<String>,
    /// An image, video or document of the app.
    #[schema(value_type = Option<MediaId>)]
    media_id: Option<String>,
    #[schema(value_type = Option<HttpsUrl>)]
    url: Option<String>,
}

/// A button whose press is sent back as a message.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendReplyButton)]
pub(super) struct ButtonObject {
    #[schema(inline, value_type = Line<{ interactive::BUTTON_ID_LENGTH }>)]
    id: String,
    #[schema(inline, value_type = Line<{ interactive::TITLE_LENGTH }>)]
    title: String,
}

/// A section of a list.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendListSection)]
pub(super) struct SectionObject {
    /// Required in a list of several sections.
    #[schema(inline, value_type = Option<Line<{ interactive::ROW_TITLE_LENGTH }>>)]
    title: Option<String>,
    /// The rows of the section.
    #[schema(min_items = 1, max_items = 10)]
    rows: Vec<RowObject>,
}

/// A row of a list. Its id, which is unique in the list, is sent back when the row is chosen.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendListRow)]
pub(super) struct RowObject {
    #[schema(inline, value_type = Line<{ interactive::ROW_ID_LENGTH }>)]
    id: String,
    #[schema(inline, value_type = Line<{ interactive::ROW_TITLE_LENGTH }>)]
    title: String,
    /// The small text below the title.
    #[schema(inline, value_type = Option<Line<{ interactive::ROW_DESCRIPTION_LENGTH }>>)]
    description: Option<String>,
}

impl InteractiveObject {
    pub(super) fn content(self) -> Result<Content, Failure> {
        self.expect_fields_of_kind()?;
        let header = match &self.header {
            None => None,
            Some(HeaderObject { text: Some(text), media_id: None, url: None }) => Some(Header::Text(text.clone())),
            Some(HeaderObject { text: None, media_id, url }) if media_id.is_some() != url.is_some() => {
                Some(Header::Medium(Source::of(media_id.as_deref(), url.as_deref(), "interactive.header")?))
            }
            Some(_) => {
                let message = "interactive.header must have exactly one of text, mediaId and url.";
                return Err(Failure::invalid("interactive.header", message));
            }
        };
        let (body, footer) = (self.body.clone(), self.footer.clone());
        Content::interactive(Interactive { header, body, footer, action: self.action()? })
    }

    /// Rejects the fields of other kinds.
    fn expect_fields_of_kind(&self) -> Result<(), Failure> {
        let present = [
            ("buttons", self.buttons.is_some()),
            ("buttonText", self.button_text.is_some()),
            ("sections", self.sections.is_some()),
            ("displayText", self.display_text.is_some()),
            ("url", self.url.is_some()),
            ("flowId", self.flow_id.is_some()),
            ("flowName", self.flow_name.is_some()),
            ("cta", self.cta.is_some()),
            ("token", self.token.is_some()),
            ("mode", self.mode.is_some()),
            ("action", self.action.is_some()),
            ("screen", self.screen.is_some()),
            ("data", self.data.is_some()),
        ];

        let (kind, own) = self.kind.fields();
        let Some((field, _)) = present.into_iter().find(|(field, is_present)| *is_present && !own.contains(field))
        else {
            return Ok(());
        };
        let allowed = COMMON_FIELDS.iter().chain(own).copied().collect::<Vec<_>>().join(", ");
        let param = format!("{AT}.{field}");
        let message = format!("{param} is not a field of the kind {kind}. Allowed: {allowed}.");
        Err(Failure::invalid(param, message))
    }

    fn action(self) -> Result<Action, Failure> {
        Ok(match self.kind {
            Kind::Buttons => {
                let button = |ButtonObject { id, title }| Button { id, title };
                Action::Buttons(required(self.buttons, "buttons")?.into_iter().map(button).collect())
            }
            Kind::List => {
                let button_text = required(self.button_text, "buttonText")?;
                let sections = required(self.sections, "sections")?.into_iter().map(Section::from).collect();
                Action::List(List { button_text, sections })
            }
            Kind::CtaUrl => Action::CtaUrl(Link {
                display_text: required(self.display_text, "displayText")?,
                url: required(self.url, "url")?,
            }),
            Kind::LocationRequest => Action::LocationRequest,
            Kind::Flow => {
                let flow = match (self.flow_id, self.flow_name) {
                    (Some(id), None) => FlowName::FlowId(id),
                    (None, Some(name)) => FlowName::FlowName(name),
                    _ => {
                        let message = "interactive must have exactly one of flowId and flowName.";
                        return Err(Failure::invalid(AT, message));
                    }
                };
                let cta = required(self.cta, "cta")?;
                let (token, mode, action, screen, data) = (self.token, self.mode, self.action, self.screen, self.data);
                Action::Flow(Flow { flow, cta, token, mode, action, screen, data })
            }
        })
    }
}

impl From<SectionObject> for Section {
    fn from(SectionObject { title, rows }: SectionObject) -> Self {
        let row = |RowObject { id, title, description }| Row { id, title, description };
        Section { title, rows: rows.into_iter().map(row).collect() }
    }
}

fn required<T>(value: Option<T>, field: &str) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::missing(&format!("{AT}.{field}")))
}
