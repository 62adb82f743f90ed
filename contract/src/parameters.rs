//! Descriptions of parameters, by name, for all operations.

use serde_json::{Map, Value, json};

const DESCRIPTIONS: &[(&str, &str)] = &[
    ("appId", "The app's id."),
    ("id", "The admin key's id."),
    ("keyId", "The app key's id."),
    ("memberId", "The member's id."),
    ("code", "The code of the identity provider."),
    ("state", "What ties the sign-in to the browser that began it."),
    ("error", "Why the identity provider has not signed anybody in."),
    ("keys", "What becomes of the keys that the member has created: `revoke` or `keep`."),
    ("webhookId", "The webhook's id."),
    ("deliveryId", "The delivery's id."),
    ("recoveryId", "The recovery's id."),
    ("simulationId", "The simulation's id."),
    (
        "phoneNumberId",
        "The phone number's id (`ph_...`). Operations on assignments also accept a WhatsApp number's id (`wapn_...`).",
    ),
    ("onboardingLinkId", "The onboarding link's id."),
    ("profileId", "The id of the WhatsApp account (business profile)."),
    ("chatPhoneNumberId", "The WhatsApp number's id."),
    ("chatBusinessProfileId", "The id of the WhatsApp account (business profile)."),
    ("messageId", "The message's id."),
    ("groupId", "The group's id."),
    ("templateId", "The template's id, which is its id at WhatsApp."),
    ("mediaId", "The media id. A direct upload is not found until it is completed."),
    ("status", "Only deliveries with this status."),
    ("asset", "The file's name."),
    ("file", "The file's name."),
    ("hub.mode", "Always `subscribe`."),
    ("hub.challenge", "The text to return in the response."),
    ("hub.verify_token", "The verify token that is configured in the Meta app."),
    (
        "X-Hub-Signature-256",
        "`sha256=` followed by the hexadecimal HMAC-SHA256 of the body, keyed with the secret of the Meta app.",
    ),
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
