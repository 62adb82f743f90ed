//! Connected accounts, and platform notifications about them.

use serde_json::{Value, json};

use crate::catalogue::SIGNUP;
use crate::request::text;
use crate::world::{Organization, World};
use crate::{Call, Service as _};

/// A live account with one number, connected to an organization.
#[derive(Clone, Debug)]
pub struct Line {
    pub org: Organization,
    pub account: String,
    /// The platform's id for the number.
    pub platform_number: String,
    pub display: String,
    pub profile: String,
    pub number: String,
}

/// Connects account `account` for `org`, with one number that is assigned to its live app.
pub async fn connect(world: &World, org: &Organization, account: &str) -> Line {
    let (platform_number, display) = (format!("{account}1"), format!("1555{account:0>7}"));
    world.platform.account(account, &[(&platform_number, &display)]);
    let signup = Call::post(SIGNUP).key(&org.admin).json(&json!({"code": format!("code.{account}")}));
    let profile = world.send(signup).await.expect(201);
    let number = text(&profile["phoneNumbers"][0], "id");
    let assign = format!("/v1/organization/apps/{}/phone-numbers/{number}", org.app);
    world.send(Call::put(assign).key(&org.admin)).await.expect(200);
    let (org, account, profile) = (org.clone(), account.to_owned(), text(&profile, "id"));
    Line { org, account, platform_number, display, profile, number }
}

/// A notification of one account.
pub fn notification(account: &str, time: i64, field: &str, value: &Value) -> Value {
    json!({"object": "whatsapp_business_account", "entry": [{"id": account, "time": time, "changes": [{"field": field, "value": value}]}]})
}

impl Line {
    pub fn about(&self, field: &str, parts: &Value) -> Value {
        let mut value = json!({
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": self.display, "phone_number_id": self.platform_number},
        });
        value.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
        notification(&self.account, 2_000_000_000, field, &value)
    }

    /// An inbound message from a contact named Ann.
    pub fn message(&self, message: &Value) -> Value {
        let mut message = message.clone();
        let object = message.as_object_mut().unwrap();
        for (name, value) in [("from", "16505551234"), ("timestamp", "2000000000")] {
            object.entry(name).or_insert(json!(value));
        }
        let contacts = json!([{"profile": {"name": "Ann"}, "wa_id": "16505551234", "user_id": "US.134"}]);
        self.about("messages", &json!({"contacts": contacts, "messages": [message]}))
    }

    pub fn status(&self, status: &Value) -> Value {
        self.about("messages", &json!({"statuses": [status]}))
    }

    /// The number's messages, newest first.
    pub async fn messages(&self, world: &World) -> Vec<Value> {
        let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={}&limit=100", self.number);
        world.send(Call::get(path).key(&self.org.admin)).await.expect(200)["data"].as_array().unwrap().clone()
    }

    /// The details of the number's only message.
    pub async fn only_message(&self, world: &World) -> Value {
        let messages = self.messages(world).await;
        assert_eq!(messages.len(), 1, "{messages:?}");
        self.details(world, &text(&messages[0], "id")).await
    }

    pub async fn details(&self, world: &World, id: &str) -> Value {
        let path = format!("/v1/organization/chat/messages/{id}");
        world.send(Call::get(path).key(&self.org.admin)).await.expect(200)
    }
}

/// The `data` of an organization's stored events with this name, dispatched or not.
pub async fn events(world: &World, org: &Organization, kind: &str) -> Vec<Value> {
    let items = world.account.items().await;
    let own =
        items.into_iter().filter(|item| item["PK"].starts_with(&format!("EVT#{}#", org.id)) && item["type"] == kind);
    own.map(|item| serde_json::from_str(&item["data"]).unwrap()).collect()
}

/// The number of an organization's stored events, dispatched or not, by name.
pub async fn event_counts(world: &World, org: &Organization) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for item in world.account.items().await {
        if item["PK"].starts_with(&format!("EVT#{}#", org.id)) {
            *counts.entry(item["type"].clone()).or_default() += 1;
        }
    }
    counts
}
