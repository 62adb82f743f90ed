//! Typical mistakes.

use serde_json::{Value, json};

use super::NO_OBJECT;

/// A body with a typical mistake.
pub(super) fn wrong_body(id: &str) -> Option<Value> {
    let events = json!({"url": "https://example.com/events", "events": ["messages.chat.received", "message.read"]});
    Some(match id {
        "updateSettings" => json!({"mediaRetentionDays": 0}),
        "createAdminKey" => json!({"name": "Backend", "expiresAt": "2020-01-01T00:00:00.000Z"}),
        "takePhoneNumber" => json!({"phoneNumberId": "+12015550100"}),
        "createPhoneNumber" => json!({"number": "020 7946 0000"}),
        "createApp" | "updateApp" => json!({"name": "Backend", "slug": "Back end"}),
        "createAppKey" => json!({"name": ""}),
        "createWebhook" | "updateWebhook" | "createOwnWebhook" | "updateOwnWebhook" => events,
        "testWebhook" | "testOwnWebhook" => json!({"event": "message.read"}),
        "recoverWebhook" | "recoverOwnWebhook" => json!({"since": "2026-11-21T00:00:00Z", "statuses": ["PENDING"]}),
        "rotateSecret" | "rotateOwnSecret" => json!({"gracePeriodSeconds": -1}),
        "setCalling" => json!({"maxConcurrentCalls": 0}),
        "createUpload" => json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 0}),
        "simulateInboundChat" => json!({"from": "+12015550100", "type": "image"}),
        "simulateNotification" => {
            json!({"field": "messages", "value": [], "target": "wapn_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"})
        }
        "runSimulation" => json!({"scenario": "account_reviewed", "delaySeconds": 7200}),
        "sendChatMessage" => {
            json!({"from": "+12015550100", "to": "020 7946 0000", "type": "text", "text": {"body": "Hello"}})
        }
        "simulateInboundSms" => json!({"from": "020 7946 0000", "to": "+12015550100", "text": "Hello"}),
        "sendSms" => json!({"from": "+12015550100", "to": "020 7946 0000", "text": "Hello"}),
        "connectAccount" => json!({"accessToken": "EAAB a copied token", "wabaId": "1001"}),
        "createOnboardingLink" => {
            json!({"successUrl": "http://example.com/done", "failureUrl": "https://example.com/failed"})
        }
        "completeOnboarding" => json!({"code": "code.1001", "state": ""}),
        "completeSignup" => json!({"code": "code.1001", "redirectUri": "example.com"}),
        "registerChatPhoneNumber" => {
            json!({"displayPhoneNumber": "020 7946 0000", "providerPhoneNumberId": "1", "providerBusinessAccountId": "1"})
        }
        "syncTemplates" => json!({"chatBusinessProfileId": "102290129340398"}),
        "createTemplate" => json!({
            "chatBusinessProfileId": format!("wabp_{NO_OBJECT}"), "name": "order_shipped", "language": "en_US", "category": "UTILITY",
            "components": [{"type": "BODY", "text": "Hello {{1}}, your order is on its way."}],
        }),
        "updateTemplate" => {
            json!({"components": [{"type": "BODY", "text": "Order {{1}}", "example": {"body_text": [["12"]]}}]})
        }
        "blockUsers" | "unblockUsers" => json!({"users": ["020 7946 0000"]}),
        "updateNumberProfile" => json!({"websites": ["example.com"]}),
        "updateGroup" => json!({"subject": ""}),
        "approveJoinRequests" | "rejectJoinRequests" => json!({"joinRequestIds": []}),
        "createGroup" => json!({"chatPhoneNumberId": format!("wapn_{NO_OBJECT}"), "subject": ""}),
        "removeParticipants" => json!({"participants": ["020 7946 0000"]}),
        _ => return None,
    })
}
