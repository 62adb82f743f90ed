//! Typical mistakes.

use serde_json::{Value, json};

use super::NO_OBJECT;

/// A body with a typical mistake.
pub(super) fn wrong_body(id: &str) -> Option<Value> {
    let events = json!({"url": "https://example.com/events", "events": ["messages.chat.received", "message.read"]});
    Some(match id {
        "organization.settings.update" => json!({"mediaRetentionDays": 0}),
        "organization.rateCard.update" => {
            json!({"currency": "EUR", "prices": [{"country": "Germany", "category": "marketing", "amount": "0.1131"}]})
        }
        "organization.adminKeys.create" => json!({"name": "Backend", "expiresAt": "2020-01-01T00:00:00.000Z"}),
        "phoneNumbers.assign" => json!({"phoneNumberId": "+12015550100"}),
        "organization.phoneNumbers.create" => json!({"number": "020 7946 0000"}),
        "organization.apps.create" | "organization.apps.update" => json!({"name": "Backend", "slug": "Back end"}),
        "organization.apps.keys.create" => json!({"name": ""}),
        "organization.apps.webhooks.create"
        | "organization.apps.webhooks.update"
        | "webhooks.create"
        | "webhooks.update" => events,
        "organization.apps.webhooks.test" | "webhooks.test" => json!({"event": "message.read"}),
        "organization.apps.webhooks.recover" | "webhooks.recover" => {
            json!({"since": "2026-11-21T00:00:00Z", "statuses": ["PENDING"]})
        }
        "organization.apps.webhooks.rotateSecret" | "webhooks.rotateSecret" => json!({"gracePeriodSeconds": -1}),
        "organization.apps.calling.update" => json!({"maxConcurrentCalls": 0}),
        "media.uploads.create" => json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 0}),
        "playground.chat.simulateInbound" => json!({"from": "+12015550100", "type": "image"}),
        "playground.notifications.simulate" => {
            json!({"field": "messages", "value": [], "target": "wapn_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"})
        }
        "playground.simulations.run" => json!({"scenario": "account_reviewed", "delaySeconds": 7200}),
        "chat.messages.send" => {
            json!({"from": "+12015550100", "to": "020 7946 0000", "type": "text", "text": {"body": "Hello"}})
        }
        "playground.sms.simulateInbound" => json!({"from": "020 7946 0000", "to": "+12015550100", "text": "Hello"}),
        "sms.send" => json!({"from": "+12015550100", "to": "020 7946 0000", "text": "Hello"}),
        "organization.chat.businessProfiles.connect" => json!({"accessToken": "EAAB a copied token", "wabaId": "1001"}),
        "organization.chat.onboardingLinks.create" => {
            json!({"successUrl": "http://example.com/done", "failureUrl": "https://example.com/failed"})
        }
        "onboarding.complete" => json!({"code": "code.1001", "state": ""}),
        "organization.chat.businessProfiles.completeSignup" => {
            json!({"code": "code.1001", "redirectUri": "example.com"})
        }
        "organization.chat.phoneNumbers.register" => {
            json!({"displayPhoneNumber": "020 7946 0000", "providerPhoneNumberId": "1", "providerBusinessAccountId": "1"})
        }
        "organization.chat.phoneNumbers.requestCode" => json!({"codeMethod": "SMS", "language": "en-US"}),
        "organization.chat.phoneNumbers.verifyCode" => json!({"code": "123-830"}),
        "organization.chat.phoneNumbers.registerAgain" | "organization.chat.phoneNumbers.pin.update" => {
            json!({"pin": "1234"})
        }
        "organization.chat.templates.sync" => json!({"chatBusinessProfileId": "102290129340398"}),
        "organization.chat.templates.create" => json!({
            "chatBusinessProfileId": format!("wabp_{NO_OBJECT}"), "name": "order_shipped", "language": "en_US", "category": "UTILITY",
            "components": [{"type": "BODY", "text": "Hello {{1}}, your order is on its way."}],
        }),
        "organization.chat.templates.update" => {
            json!({"components": [{"type": "BODY", "text": "Order {{1}}", "example": {"body_text": [["12"]]}}]})
        }
        "chat.phoneNumbers.blockedUsers.block" | "chat.phoneNumbers.blockedUsers.unblock" => {
            json!({"users": ["020 7946 0000"]})
        }
        "organization.chat.phoneNumbers.businessProfile.update" => json!({"websites": ["example.com"]}),
        // The platform's id of the message instead of this API's.
        "chat.messages.markRead" | "chat.messages.showTyping" => {
            json!({"messageId": "wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzQUYxNjZBNTMxRkI3OERBMEE5NAA="})
        }
        "chat.groups.update" => json!({"subject": ""}),
        "chat.groups.joinRequests.approve" | "chat.groups.joinRequests.reject" => json!({"joinRequestIds": []}),
        "chat.groups.create" => json!({"chatPhoneNumberId": format!("wapn_{NO_OBJECT}"), "subject": ""}),
        "chat.groups.participants.add" | "chat.groups.participants.remove" => {
            json!({"participants": ["020 7946 0000"]})
        }
        _ => return None,
    })
}
