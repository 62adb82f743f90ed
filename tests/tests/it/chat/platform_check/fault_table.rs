//! The faults of which a check says something: what the platform shows, and what the check finds.

use platform::fields::subscribed_fields;
use serde_json::{Value, json};

use super::{DAY, health};

/// Whose fields differ from those of a sound installation.
#[derive(Clone, Copy)]
pub(super) enum Whose {
    Token,
    Account,
    Number,
    App,
}

/// A fault of the stand-in, and what the check says of it.
pub(super) struct Fault {
    pub(super) whose: Whose,
    pub(super) fields: Value,
    pub(super) check: &'static str,
    pub(super) status: &'static str,
    /// A part of the finding's message.
    pub(super) message: &'static str,
    /// A part of the finding's remedy.
    pub(super) remedy: &'static str,
}

impl Whose {
    /// The check with this name fails if the platform shows these fields.
    fn fails(self, fields: Value, check: &'static str, message: &'static str, remedy: &'static str) -> Fault {
        Fault { whose: self, fields, check, status: "FAILED", message, remedy }
    }

    /// The check with this name warns if the platform shows these fields.
    fn warns(self, fields: Value, check: &'static str, message: &'static str, remedy: &'static str) -> Fault {
        Fault { whose: self, fields, check, status: "WARNING", message, remedy }
    }
}

const SIGNUP: &str = "business-profiles/callback";
const ACCOUNT: &str = "Meta Business Manager";
const NUMBER: &str = "WhatsApp Manager";
const SOLUTION: &str = "Ask for a review";

/// All faults at this time, in seconds.
pub(super) fn faults(now: i64) -> Vec<Fault> {
    [of_app(), of_token(now), of_account(), of_number()].into_iter().flatten().collect()
}

fn of_app() -> Vec<Fault> {
    let app = Whose::App;
    let called = |url: &str| json!({"callback_url": url});
    let without = |missing: &str| {
        let fields = subscribed_fields().filter(|field| *field != missing).map(|name| json!({"name": name}));
        json!({"fields": fields.collect::<Vec<_>>()})
    };
    let old = called("https://old.example/v1/platform/notifications?key=secret");
    let elsewhere = called("https://api.example.com/hook");
    let (url, shown) = ("NotificationsUrl", "https://old.example/v1/platform/notifications,");

    vec![
        app.fails(json!({"object": null}), "callback_url", "no callback URL", url),
        app.fails(old, "callback_url", shown, url),
        app.fails(elsewhere, "callback_url", "not this installation", url),
        app.fails(json!({"active": false}), "callback_url", "not active", url),
        app.fails(without("messages"), "callback_fields", "to: messages.", "subscribe to these fields"),
        app.warns(without("account_update"), "callback_fields", "to: account_update.", "subscribe to these fields"),
    ]
}

fn of_token(now: i64) -> Vec<Fault> {
    let token = Whose::Token;
    let of = |kind: &str, account: &str| json!({"scope": format!("whatsapp_business_{kind}"), "target_ids": [account]});
    let (management, messaging) = (of("management", "5102"), of("messaging", "5102"));
    let alone = |permission: &Value| json!({"scopes": [], "granular_scopes": [permission]});
    let of_another = json!({"granular_scopes": [management, of("messaging", "7")]});
    let (no_management, no_messaging) = ("lacks: whatsapp_business_management.", "lacks: whatsapp_business_messaging.");

    vec![
        token.fails(json!({"is_valid": false, "error": {"code": 190}}), "token", "no longer valid", SIGNUP),
        token.fails(json!({"app_id": "67"}), "token", "this installation's app", SIGNUP),
        token.fails(json!({"expires_at": now - 1}), "token", "no longer valid", SIGNUP),
        token.warns(json!({"expires_at": now + 14 * DAY}), "token_expiry", "in 13 days", SIGNUP),
        token.warns(json!({"data_access_expires_at": now + 3600}), "token_expiry", "in less than a day", SIGNUP),
        token.fails(alone(&management), "token_permissions", no_messaging, SIGNUP),
        token.fails(alone(&messaging), "token_permissions", no_management, SIGNUP),
        token.fails(of_another, "token_permissions", no_messaging, SIGNUP),
        token.warns(
            json!({"scopes": [], "granular_scopes": []}),
            "token_permissions",
            "does not report",
            "Nothing needs to be done",
        ),
    ]
}

fn of_account() -> Vec<Fault> {
    let account = Whose::Account;
    let review = |status: &str| json!({"account_review_status": status});
    let blocked = |code: i64, kind: &str| {
        let error = json!({"error_code": code, "error_description": "It is so", "possible_solution": SOLUTION});
        health(&json!({"entity_type": kind, "id": "102", "can_send_message": "BLOCKED", "errors": [error]}))
    };
    let limited = health(&json!({"entity_type": "BUSINESS", "id": "250", "can_send_message": "LIMITED",
        "additional_info": ["Verify the business"]}));
    let (unpaid, pay) = ("cannot pay for messages: It is so (code 141006).", "payment method");
    let refused = "WABA 102 cannot send messages: It is so (code 141014).";
    let unverified = "BUSINESS 250 can send messages only with limits: Verify the business.";

    vec![
        account.fails(review("REJECTED"), "account_review", "has rejected", "another review"),
        account.warns(review("PENDING"), "account_review", "has not reviewed", "Wait"),
        account.warns(review("LIMIT_REACHED"), "account_review", "LIMIT_REACHED", ACCOUNT),
        account.fails(blocked(141_006, "WABA"), "account_payment", unpaid, pay),
        account.fails(blocked(141_014, "WABA"), "account_health", refused, SOLUTION),
        account.fails(blocked(141_000, "APP"), "account_health", "APP 102", SOLUTION),
        account.warns(limited, "account_health", unverified, ACCOUNT),
    ]
}

fn of_number() -> Vec<Fault> {
    let number = Whose::Number;
    let is = |status: &str| json!({"status": status});
    let unverified = json!({"status": "PENDING", "code_verification_status": "NOT_VERIFIED"});
    let on_premise = json!({"platform_type": "ON_PREMISE"});
    let quality = |rating: &str| json!({"quality_rating": rating});
    let limited = json!({"whatsapp_business_manager_messaging_limit": "TIER_250"});
    let name = |status: &str| json!({"name_status": status});
    let (registration, register) = ("number_registration", "POST /v1/organization/chat/phone-numbers");
    let (gone, connect) = ("no longer has the number", "connect the account");

    vec![
        number.fails(is("DISCONNECTED"), registration, "not registered", register),
        number.fails(unverified, registration, "not verified", "Verify the number"),
        number.fails(on_premise, registration, "ON_PREMISE", "Register"),
        number.warns(is("FLAGGED"), registration, "flagged", "Send fewer"),
        number.warns(is("RATE_LIMITED"), registration, "conversation limit", "Wait"),
        number.fails(is("RESTRICTED"), registration, "restricts", "appeal"),
        number.fails(is("BANNED"), registration, "banned", "Appeal"),
        number.fails(is("MIGRATED"), registration, "has the number (MIGRATED)", "another number"),
        number.warns(is("LATER"), registration, "LATER", NUMBER),
        number.warns(json!({"status": null}), registration, "does not show", NUMBER),
        number.fails(json!({"id": "9"}), registration, gone, connect),
        number.warns(quality("YELLOW"), "number_quality", "YELLOW", "Send fewer"),
        number.fails(quality("RED"), "number_quality", "RED", "Send fewer"),
        number.warns(limited, "number_limit", "TIER_250", "Verify the business"),
        number.fails(name("DECLINED"), "number_name", "DECLINED", "another display name"),
        number.warns(name("PENDING_REVIEW"), "number_name", "has not reviewed", "Wait"),
        number.warns(name("LATER"), "number_name", "LATER", NUMBER),
    ]
}
