//! The update of a template's components. It reports texts and buttons in a form of its own, which has less detail than
//! the components that a sync reads: neither the format of a medium in the header nor examples. Parts that it does not
//! report keep their values.

use domain::Json;
use serde_json::{Value, json};

use crate::lenient::Object;

pub(crate) struct ComponentsUpdate {
    /// The text of the header. Absent if the header is a medium, or if there is none.
    title: Option<String>,
    body: Option<String>,
    footer: Option<String>,
    buttons: Vec<Button>,
}

struct Button {
    kind: String,
    text: Option<String>,
    url: Option<String>,
    phone_number: Option<String>,
}

impl ComponentsUpdate {
    pub(crate) fn read(update: &mut Object<'_>) -> Self {
        ComponentsUpdate {
            title: update.text("message_template_title"),
            body: update.text("message_template_element"),
            footer: update.text("message_template_footer"),
            buttons: update.list("message_template_buttons", |button| Button {
                kind: button.text("message_template_button_type").unwrap_or_default(),
                text: button.text("message_template_button_text"),
                url: button.text("message_template_button_url"),
                phone_number: button.text("message_template_button_phone_number"),
            }),
        }
    }

    /// Returns the known components after the update. If no components are known, none are created from the update
    /// alone, because it can lack the header.
    pub(crate) fn applied_to(self, known: Json) -> Json {
        match serde_json::from_str::<Vec<Value>>(known.as_str()) {
            Ok(list) if !list.is_empty() => Json::from(self.merged_into(&list)),
            _ => known,
        }
    }

    fn merged_into(self, known: &[Value]) -> Value {
        let find = |kind: &str| known.iter().find(|component| is(component, "type", kind));
        let header = match self.title {
            Some(text) => Some(with_text(find("HEADER"), json!({"type": "HEADER", "format": "TEXT"}), text)),
            None => find("HEADER").filter(|header| !is(header, "format", "TEXT")).cloned(),
        };
        let body = match self.body {
            Some(text) => Some(with_text(find("BODY"), json!({"type": "BODY"}), text)),
            None => find("BODY").cloned(),
        };
        let footer = self.footer.map(|text| with_text(find("FOOTER"), json!({"type": "FOOTER"}), text));

        let before = find("BUTTONS").and_then(|buttons| buttons["buttons"].as_array());
        let buttons: Vec<Value> = self
            .buttons
            .into_iter()
            .enumerate()
            .map(|(index, button)| button.applied_to(before.and_then(|before| before.get(index))))
            .collect();
        let buttons = (!buttons.is_empty()).then(|| json!({"type": "BUTTONS", "buttons": buttons}));

        let is_replaced =
            |component: &&Value| ["HEADER", "BODY", "FOOTER", "BUTTONS"].iter().any(|kind| is(component, "type", kind));
        let others = known.iter().filter(|component| !is_replaced(component)).cloned();
        [header, body, footer, buttons].into_iter().flatten().chain(others).collect()
    }
}

impl Button {
    /// Returns the button with its known fields, if it still has the same type.
    fn applied_to(self, known: Option<&Value>) -> Value {
        let kind = self.kind;
        let mut button = known.filter(|known| is(known, "type", &kind)).cloned().unwrap_or(json!({"type": kind}));
        let fields = [("text", self.text), ("url", self.url), ("phone_number", self.phone_number)];
        for (name, sent) in fields {
            if let Some(sent) = sent {
                button[name] = sent.into();
            }
        }
        button
    }
}

/// Returns whether a field has this value. The platform writes types and formats in either letter case.
fn is(component: &Value, field: &str, value: &str) -> bool {
    component[field].as_str().is_some_and(|found| found.eq_ignore_ascii_case(value))
}

/// Returns the known component with another text, or a new one. Examples belong to the old text and are dropped if it
/// differs.
fn with_text(known: Option<&Value>, new: Value, text: String) -> Value {
    let is_same = |known: &&Value| known["text"] == text.as_str();
    known.filter(is_same).cloned().unwrap_or_else(|| {
        let mut component = new;
        component["text"] = text.into();
        component
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(known: Value, update: Value) -> Value {
        let update = serde_json::value::to_raw_value(&update).expect("JSON");
        let update = crate::lenient::read(&update, ComponentsUpdate::read).expect("an object").value;
        serde_json::from_str(update.applied_to(Json::from(known)).as_str()).expect("JSON")
    }

    #[test]
    fn texts_and_buttons_are_replaced_and_the_rest_stays() {
        let known = json!([
            {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["https://example.com/i"]}},
            {"type": "body", "text": "Hello {{1}}", "example": {"body_text": [["Ann"]]}},
            {"type": "FOOTER", "text": "Bye"},
            {"type": "BUTTONS", "buttons": [
                {"type": "URL", "text": "Open", "url": "https://example.com/{{1}}", "example": ["x"]},
                {"type": "QUICK_REPLY", "text": "Stop"},
            ]},
            {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Now"}},
        ]);
        let update = json!({
            "message_template_element": "Hello {{1}}, {{2}}",
            "message_template_buttons": [
                {"message_template_button_type": "URL", "message_template_button_text": "Look"},
                {"message_template_button_type": "PHONE_NUMBER", "message_template_button_text": "Call",
                 "message_template_button_phone_number": "+15550100"},
            ],
        });
        let expected = json!([
            {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["https://example.com/i"]}},
            {"type": "BODY", "text": "Hello {{1}}, {{2}}"},
            {"type": "BUTTONS", "buttons": [
                {"type": "URL", "text": "Look", "url": "https://example.com/{{1}}", "example": ["x"]},
                {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+15550100"},
            ]},
            {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Now"}},
        ]);
        assert_eq!(applied(known, update), expected);
    }

    #[test]
    fn a_title_is_the_text_of_the_header() {
        let known = json!([{"type": "HEADER", "format": "TEXT", "text": "Old"}, {"type": "BODY", "text": "Hello"}]);
        let titled = json!({"message_template_title": "New", "message_template_element": "Hello"});
        assert_eq!(applied(known.clone(), titled)[0], json!({"type": "HEADER", "format": "TEXT", "text": "New"}));
        let untitled = json!({"message_template_element": "Hello"});
        assert_eq!(applied(known, untitled), json!([{"type": "BODY", "text": "Hello"}]));
    }

    #[test]
    fn unknown_components_stay_unknown() {
        assert_eq!(applied(json!([]), json!({"message_template_element": "Hello"})), json!([]));
    }
}
