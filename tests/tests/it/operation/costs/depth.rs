//! Operations by the number of their sequential round trips.

use super::measure::{DIRECT, IMPORTED, KEPT, QUEUED_TURN, RECEIVED, SIGN_IN, SMS_TURN};

const TIMELINE: &str = "the credential, the message with the webhooks or apps, then the number and the deliveries";
const FAILURES: &str = "the credential, the list in its partitions, then the messages of the page";

/// Operations with more than two sequential round trips, each with the reason.
pub(super) const DEEPER: &[(&str, &str)] = &[
    ("POST /v1/organization/chat/business-profiles/callback", "a signup in steps, each stored before the next"),
    ("POST /v1/organization/chat/business-profiles", "a connection in steps, each stored before the next"),
    (
        "DELETE /v1/organization/chat/business-profiles/{profileId}",
        "a disconnection in steps, each stored before the next",
    ),
    ("DELETE /v1/organization/chat/onboarding-links/{onboardingLinkId}", "the credential, the link, its cancellation"),
    ("PUT /v1/onboarding/signup", "the token, the link, the new state"),
    ("POST /v1/onboarding/cancel", "the token, the link, its cancellation"),
    ("POST /v1/onboarding/complete", "a signup in steps, each stored before the next, between two states of the link"),
    ("POST /v1/organization/chat/phone-numbers", "onboarding of a number in steps"),
    (
        "POST /v1/organization/chat/phone-numbers/{chatPhoneNumberId}/verify-code",
        "credential and number, the number again, then its new state",
    ),
    (
        "POST /v1/organization/chat/phone-numbers/{chatPhoneNumberId}/register",
        "credential and number, its account, its hold, its new state, each stored before the next",
    ),
    (
        "POST /v1/organization/chat/phone-numbers/{chatPhoneNumberId}/deregister",
        "credential and number, its account, its hold, its new state, each stored before the next",
    ),
    (
        "PUT /v1/organization/chat/phone-numbers/{chatPhoneNumberId}/pin",
        "credential and number, its account, its hold, its new state, each stored before the next",
    ),
    (
        "POST /v1/organization/chat/phone-numbers/{chatPhoneNumberId}/request-code",
        "credential and number, then the entry of the audit log before the call, and its outcome",
    ),
    (
        "POST /v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users",
        "credential and number, then the entry of the audit log before the call, and its outcome",
    ),
    (
        "DELETE /v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users",
        "credential and number, then the entry of the audit log before the call, and its outcome",
    ),
    ("DELETE /v1/media/{mediaId}", "hides the media, then deletes the bytes, then the item"),
    ("POST /v1/organization/phone-numbers", "reads the apps that the body names, after the credential"),
    ("DELETE /v1/organization/apps/{appId}", "lists keys and webhooks, after the credential, before they are deleted"),
    (
        "DELETE /v1/organization/members/{memberId}",
        "the credential, the member, admin keys of either mode, apps, the keys of the apps, the transaction",
    ),
    ("GET /v1/chat/messages/{messageId}/timeline", TIMELINE),
    ("GET /v1/sms/{messageId}/timeline", TIMELINE),
    ("GET /v1/organization/chat/messages/{messageId}/timeline", TIMELINE),
    ("GET /v1/organization/sms/messages/{messageId}/timeline", TIMELINE),
    ("GET /v1/failures", FAILURES),
    ("GET /v1/organization/failures", FAILURES),
    ("DELETE /v1/session", "the session, its member, the transaction"),
    ("PUT /v1/session", "the session, the next member and its transaction, then the end of the session with its own"),
    ("POST /v1/session/key", "the session, its member, the transaction"),
    (SIGN_IN, "the link, its member and whoever has issued it, the transaction"),
    ("GET /v1/organization/chat/business-profiles", "the list, then the numbers of each profile"),
    ("GET /v1/organization/chat/platform-check", "the profile, then the list of its numbers, then the numbers"),
    ("GET /v1/organization/chat/phone-numbers", "the list, then the apps of its numbers"),
    ("GET /v1/organization/phone-numbers", "the list, then the apps of its numbers"),
    (
        "GET /v1/playground/phone-numbers/system",
        "the credential, the app's system numbers, then those that it still has",
    ),
    ("GET /v1/organization/chat/messages", "the list of ids, then the messages"),
    ("GET /v1/chat/messages", "the number beside the credential, then the list of ids, then the messages"),
    ("GET /v1/chat/messages/{messageId}", "the message names the number whose assignment is checked"),
    ("POST /v1/chat/messages", "credential and number, what they name, the transaction, the call, the outcome"),
    ("POST /v1/chat/messages/read", "the credential, the message, its number, its account"),
    ("POST /v1/chat/messages/typing", "the credential, the message, its number, its account"),
    ("GET /v1/organization/sms/messages", "the list of ids, then the messages"),
    ("GET /v1/sms", "the number beside the credential, then the list of ids, then the messages"),
    ("GET /v1/sms/{messageId}", "the message names the number whose assignment is checked"),
    ("POST /v1/sms", "credential and number, the quota after all checks, the transaction, the call, the outcome"),
    (
        "GET /v1/webhooks/{webhookId}/deliveries/{deliveryId}",
        "credential, webhook and delivery, then the event, whose id the delivery has",
    ),
    (
        "GET /v1/organization/events/{eventId}",
        "the apps, the event as one of them gets it, that app's webhooks, their deliveries",
    ),
    (
        "PATCH /v1/organization/chat/phone-numbers/{chatPhoneNumberId}/business-profile",
        "credential and number, the change, then the profile as it is",
    ),
    ("GET /v1/organization/chat/templates/{templateId}", "the profiles, among whose templates the id is looked up"),
    (
        "POST /v1/organization/chat/templates",
        "the profile, what the simulated platform has, its new template, then the template",
    ),
    (
        "PATCH /v1/organization/chat/templates/{templateId}",
        "the profiles, the template, the edit at the simulated platform, what it shows then, then the template",
    ),
    (
        "DELETE /v1/organization/chat/templates/{templateId}",
        "the profiles, the template, the deletion at the simulated platform, then the template",
    ),
    ("GET /v1/chat/groups", "the number beside the credential, then the list of ids, then the groups"),
    ("PATCH /v1/chat/groups/{groupId}", "the group names the number, and the simulated platform changes it"),
    ("DELETE /v1/chat/groups/{groupId}", "the group names the number, and the simulated platform deletes it"),
    ("POST /v1/chat/groups/{groupId}/invite-link", "the group names the number, and the new link is stored"),
    (
        "GET /v1/chat/groups/{groupId}/join-requests",
        "the group names the number, and the simulated platform keeps the requests",
    ),
    (
        "POST /v1/chat/groups/{groupId}/join-requests/approve",
        "the group names the number; the simulated platform notes the decision, then who has joined",
    ),
    (
        "POST /v1/chat/groups/{groupId}/join-requests/reject",
        "the group names the number, and the simulated platform notes the decision",
    ),
    (
        "POST /v1/chat/groups/{groupId}/participants",
        "the group names the number, and the simulated platform admits the people",
    ),
    ("GET /v1/phone-numbers", "the app, which the credential names, then its numbers, then their apps"),
    (
        "POST /v1/playground/chat/inbound",
        "the number, the quota, what a live message reads and writes, then the message for the response",
    ),
    (
        "POST /v1/playground/sms/inbound",
        "the number by its digits, the quota, what a live message reads and writes, then the message for the response",
    ),
    ("POST /v1/playground/notifications", "the quota, then what each update reads and writes"),
    (
        "POST /v1/playground/simulations",
        "the key, the target, the running simulations, the transaction, the job, then the stored response",
    ),
    ("POST /v1/phone-numbers", "reads the apps that the response shows, before the transaction that stores it"),
    ("PUT /v1/webhooks/{webhookId}", "the credential names the app, so the webhook is read after it"),
    ("POST /v1/webhooks/{webhookId}/test", "the credential names the app, so the webhook is read after it"),
    ("POST /v1/webhooks/{webhookId}/rotate-secret", "the credential names the app, so the webhook is read after it"),
    ("POST /v1/webhooks/{webhookId}/recover", "the credential names the app, so the webhook is read after it"),
    ("GET /v1/webhooks/{webhookId}/deliveries", "the credential names the app, so the webhook is read after it"),
    (
        "POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
        "the credential names the app, so the webhook is read after it",
    ),
    ("POST /v1/platform/notifications, a message that is stored", "whose it is, what is known of it, then the write"),
    (KEPT, "whose it is, the part, the line that waits, then the number, whose progress is written"),
    (IMPORTED, "one message after the other, because they are of one chat"),
    (DIRECT, "everything is read at once, then the message is stored, and after the call its outcome"),
    (
        "POST /v1/chat/messages",
        "a function that does not know the sender reads the number before the account behind it",
    ),
    ("POST /v1/chat/messages/read", "the message names the number, and the number the account"),
    ("POST /v1/chat/messages/typing", "the message names the number, and the number the account"),
    (QUEUED_TURN, "the message, its slot, the checks, the recipient's pause, the attempt, the outcome"),
    (RECEIVED, "who has linked the number, the number, what the organization keeps, then the write"),
    (SMS_TURN, "the message and its number, its slot, the app and the opt-out list, the attempt, the outcome"),
    ("POST /v1/media", "the item first as pending, then the bytes, then the item as ready"),
];

/// Reads by id that read the credential and the object in one round trip.
pub(super) const ONE_TRIP: &[&str] = &[
    "GET /v1/organization/settings",
    "GET /v1/organization/apps/{appId}",
    "GET /v1/organization/apps/{appId}/calling",
    "GET /v1/organization/apps/{appId}/events",
    "GET /v1/organization/apps/{appId}/webhooks/{webhookId}",
    "GET /v1/media/{mediaId}",
];
