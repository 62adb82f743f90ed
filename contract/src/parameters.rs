//! What each parameter is, wherever it stands.

use serde_json::{Map, Value, json};

const DESCRIPTIONS: &[(&str, &str)] = &[
    ("appId", "The app's id."),
    ("id", "The admin key's id."),
    ("keyId", "The app key's id."),
    ("webhookId", "The webhook's id."),
    ("deliveryId", "The delivery's id."),
    ("phoneNumberId", "The number's id: `ph_...`, and for assignments `wapn_...`, too."),
    ("profileId", "The business profile's id."),
    ("chatPhoneNumberId", "The chat phone number's id."),
    ("chatBusinessProfileId", "The business profile's id."),
    ("messageId", "The message's id."),
    ("groupId", "The group's id."),
    ("mediaId", "The media's id. One that nothing was uploaded under is not found."),
    ("status", "Only deliveries with this status."),
    ("asset", "The file's name."),
    ("hub.mode", "`subscribe`."),
    ("hub.challenge", "What to answer."),
    ("hub.verify_token", "The token that the platform was told."),
    ("X-Hub-Signature-256", "`sha256=` and the hexadecimal HMAC-SHA256 of the body under the app's secret."),
];

pub(crate) fn describe(operation: &mut Map<String, Value>) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten().filter(|parameter| parameter.get("description").is_none()) {
        let described = DESCRIPTIONS.iter().find(|(name, _)| parameter["name"] == *name);
        if let Some((_, description)) = described {
            parameter["description"] = json!(description);
        }
    }
}
