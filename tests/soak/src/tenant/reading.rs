//! Checks that objects and lists match the acknowledged data.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tests::Call;

use super::{Known, Tenant, text};
use crate::client::agent;

/// The kinds of objects that are read.
#[derive(Clone, Debug)]
pub(super) enum Object {
    Settings,
    App(String),
    Number(String),
    Webhook(String, String),
    Calling(String),
    Media(String),
    Group(String),
    Message(String),
    Health,
}

/// The lists that are read.
#[derive(Clone, Debug)]
pub(super) enum List {
    Apps,
    Numbers,
    AdminKeys,
    Keys(String),
    Webhooks(String),
}

impl Object {
    fn path(&self) -> String {
        match self {
            Object::Settings => "/v1/organization/settings".to_owned(),
            Object::App(app) => format!("/v1/organization/apps/{app}"),
            Object::Number(number) => format!("/v1/organization/phone-numbers/{number}"),
            Object::Webhook(app, webhook) => format!("/v1/organization/apps/{app}/webhooks/{webhook}"),
            Object::Calling(app) => format!("/v1/organization/apps/{app}/calling"),
            Object::Media(media) => format!("/v1/media/{media}"),
            Object::Group(group) => format!("/v1/chat/groups/{group}"),
            Object::Message(message) => format!("/v1/organization/chat/messages/{message}"),
            Object::Health => "/v1/health".to_owned(),
        }
    }

    /// Whether the response matches the acknowledged data.
    fn is_as_left(&self, known: &Known, seen: &Value) -> bool {
        match self {
            Object::Settings => known.retention.is_none_or(|days| seen["mediaRetentionDays"] == days),
            Object::App(app) => seen["name"] == known.apps[app].as_str(),
            Object::Number(number) => {
                let known = known.number(number);
                let apps = seen["apps"].as_array().unwrap().iter().map(|app| text(app, "appId"));
                seen["number"] == known.number.as_str() && apps.collect::<BTreeSet<_>>() == known.apps
            }
            Object::Webhook(app, webhook) => super::access::events_of(seen) == known.webhooks[app][webhook],
            Object::Calling(app) => seen["maxConcurrentCalls"] == known.callings[app],
            Object::Media(media) => {
                let content = agent().get(text(seen, "url")).call();
                content.is_ok_and(|mut found| found.body_mut().read_to_vec().is_ok_and(|it| it == known.media[media]))
            }
            Object::Group(group) => seen["subject"] == known.groups[group].as_str(),
            Object::Message(message) => seen["textBody"] == known.chat[message].as_str(),
            Object::Health => true,
        }
    }
}

impl List {
    pub(super) fn path(&self) -> String {
        match self {
            List::Apps => "/v1/organization/apps".to_owned(),
            List::Numbers => "/v1/organization/phone-numbers".to_owned(),
            List::AdminKeys => "/v1/organization/admin-keys".to_owned(),
            List::Keys(app) => format!("/v1/organization/apps/{app}/keys"),
            List::Webhooks(app) => format!("/v1/organization/apps/{app}/webhooks"),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            List::Apps => "apps",
            List::Numbers => "numbers",
            List::AdminKeys => "admin keys",
            List::Keys(_) => "keys",
            List::Webhooks(_) => "webhooks",
        }
    }

    pub(super) fn ids(&self, known: &Known) -> BTreeSet<String> {
        match self {
            List::Apps => known.apps.keys().cloned().collect(),
            List::Numbers => known.numbers.keys().chain(known.system_numbers.keys()).cloned().collect(),
            List::AdminKeys => known.admin_keys.keys().cloned().collect(),
            List::Keys(app) => known.keys.get(app).into_iter().flat_map(|keys| keys.keys().cloned()).collect(),
            List::Webhooks(app) => {
                known.webhooks.get(app).into_iter().flat_map(|hooks| hooks.keys().cloned()).collect()
            }
        }
    }

    pub(super) fn is_as_left(&self, known: &Known, seen: &Value) -> bool {
        let id = text(seen, "id");
        match self {
            List::Apps => Object::App(id).is_as_left(known, seen),
            List::Numbers => Object::Number(id).is_as_left(known, seen),
            List::AdminKeys => seen["name"] == known.admin_keys[&id].as_str(),
            List::Keys(_) => true,
            List::Webhooks(app) => Object::Webhook(app.clone(), id).is_as_left(known, seen),
        }
    }
}

impl Tenant {
    /// Reads a random object and checks that it matches the acknowledged data.
    pub(super) fn read(&mut self) {
        let object = self.any_object();
        if !self.shows(&object) {
            self.tally.lost(format!("{} is not as it was left", object.path()));
        }
    }

    /// Whether the object matches the acknowledged data. Unexpected statuses are counted separately.
    fn shows(&mut self, object: &Object) -> bool {
        let call = Call::get(object.path());
        let call = match object {
            Object::App(_) => call.key(&self.org.session_token),
            Object::Media(_) | Object::Group(_) => self.app_call(call),
            _ => self.admin(call),
        };
        let Some(seen) = self.get(call) else { return true };
        object.is_as_left(&self.known(), &seen)
    }

    /// Checks an object at the end of the run, when an unexpected status counts as a mismatch, too.
    pub(super) fn must_show(&mut self, object: &Object) {
        let before = self.tally.seen().unexpected.len();
        if !self.shows(object) || self.tally.seen().unexpected.len() > before {
            self.tally.lost(format!("{} is not there as it was left", object.path()));
        }
    }

    fn any_object(&mut self) -> Object {
        fn keys<T>(map: &BTreeMap<String, T>) -> Vec<String> {
            map.keys().cloned().collect()
        }
        let kinds =
            [("settings", 2), ("app", 4), ("number", 4), ("webhook", 3), ("calling", 2), ("media", 2), ("group", 2)];
        let kinds: Vec<_> = kinds.into_iter().chain([("message", 4), ("health", 1)]).collect();
        let (kind, _) = self.draw(|(_, weight)| f64::from(*weight), &kinds);
        let ids = {
            let known = self.known();
            match kind {
                "app" => keys(&known.apps),
                "number" => keys(&known.numbers),
                "calling" => keys(&known.callings),
                "media" => keys(&known.media),
                "group" => keys(&known.groups),
                "message" => keys(&known.chat),
                _ => Vec::new(),
            }
        };
        if kind == "webhook" {
            let webhooks = self.spare_webhooks();
            return self.pick(&webhooks).map_or(Object::Settings, |(app, webhook)| Object::Webhook(app, webhook));
        }
        match (kind, self.pick(&ids)) {
            ("health", _) => Object::Health,
            ("app", Some(id)) => Object::App(id),
            ("number", Some(id)) => Object::Number(id),
            ("calling", Some(id)) => Object::Calling(id),
            ("media", Some(id)) => Object::Media(id),
            ("group", Some(id)) => Object::Group(id),
            ("message", Some(id)) => Object::Message(id),
            _ => Object::Settings,
        }
    }

    /// Reads a list page by page and checks that it contains all acknowledged objects and no others.
    pub(super) fn list_some(&mut self) {
        let apps: Vec<String> = self.known().apps.keys().cloned().collect();
        let app = self.pick(&apps).unwrap();
        let lists = [List::Apps, List::Numbers, List::AdminKeys, List::Keys(app.clone()), List::Webhooks(app)];
        let (list, size) = (self.pick(&lists).unwrap(), 10 + self.below(51));
        self.compare_list(&list, size);
    }

    pub(super) fn compare_list(&mut self, list: &List, size: usize) -> Vec<Value> {
        // Objects of requests that are still in progress may or may not exist.
        let is_quiet = self.is_quiet();
        let path = list.path();
        let found = self.walk(&path, "", size);
        if is_quiet {
            let known = list.ids(&self.known());
            self.compare(list.name(), &known, found.iter().map(|item| text(item, "id")), &path);
        }
        found
    }

    pub(super) fn compare(&self, kind: &str, known: &BTreeSet<String>, ids: impl Iterator<Item = String>, place: &str) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        ids.for_each(|id| *counts.entry(id).or_default() += 1);
        for missing in known.iter().filter(|id| !counts.contains_key(*id)) {
            self.tally.lost(format!("{kind}: {missing} was acknowledged and is not in {place}"));
        }
        for (extra, _) in counts.iter().filter(|(id, count)| !known.contains(*id) || **count > 1) {
            if self.known().gone.iter().any(|(path, _)| path.contains(extra.as_str())) {
                self.tally.lost(format!("{kind}: {extra} was deleted and is still in {place}"));
            } else {
                let what = format!("{kind}: {extra} is there without an acknowledgement, or twice, in {place}");
                self.tally.doubled(what);
            }
        }
    }
}
