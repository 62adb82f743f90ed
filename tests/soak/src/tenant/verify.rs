//! The comparison at the end: all acknowledged data exists unchanged, and nothing else.

use std::collections::BTreeSet;

use store::keys::KeyClass;
use tests::Call;

use super::reading::{List, Object};
use super::{Tenant, text};
use crate::stack::Stored;
use crate::tally::Counts;

impl Tenant {
    pub(crate) fn verify(&mut self, stored: &Stored) {
        let mut checked = Counts::new();
        let mut note = |what: &str, count: usize| *checked.entry(what.to_owned()).or_default() += count;
        let apps: Vec<String> = self.known().apps.keys().cloned().collect();
        let under = apps.iter().flat_map(|app| [List::Keys(app.clone()), List::Webhooks(app.clone())]);
        for list in [List::Apps, List::Numbers, List::AdminKeys].into_iter().chain(under) {
            note(list.name(), self.verify_list(&list));
        }
        let objects = self.objects();
        for object in &objects {
            self.must_show(object);
        }
        self.verify_unlisted(stored);
        self.verify_chat();
        self.verify_gone();
        let known = self.known();
        for (what, count) in [
            ("calling", known.callings.len()),
            ("settings", 1),
            ("media", known.media.len()),
            ("groups", known.groups.len()),
            ("chat messages", known.chat.len()),
            ("SMS messages", known.sms.len()),
            ("playground users", known.wrote.len()),
            ("deleted", known.gone.len()),
            ("revoked credentials", known.revoked.len()),
        ] {
            note(what, count);
        }
        let mut seen = self.tally.seen();
        for (what, count) in checked {
            *seen.checked.entry(what).or_default() += count;
        }
    }

    fn verify_list(&mut self, list: &List) -> usize {
        let found = self.compare_list(list, 100);
        let known = self.known();
        let ids = list.ids(&known);
        for item in found.iter().filter(|item| ids.contains(&text(item, "id"))) {
            if !list.is_as_left(&known, item) {
                self.tally.lost(format!("{}: a change of {} is lost: {item}", list.name(), text(item, "id")));
            }
        }
        ids.len()
    }

    fn objects(&self) -> Vec<Object> {
        let known = self.known();
        let callings = known.callings.keys().cloned().map(Object::Calling);
        let media = known.media.keys().cloned().map(Object::Media);
        let groups = known.groups.keys().cloned().map(Object::Group);
        [Object::Settings].into_iter().chain(callings).chain(media).chain(groups).collect()
    }

    fn verify_unlisted(&self, stored: &Stored) {
        let (media, groups, sms): (BTreeSet<_>, BTreeSet<_>, BTreeSet<_>) = {
            let known = self.known();
            (known.media.keys().cloned().collect(), known.groups.keys().cloned().collect(), known.sms.clone())
        };
        for (kind, class, known) in [
            ("media", KeyClass::Media, media),
            ("groups", KeyClass::Group, groups),
            ("SMS messages", KeyClass::SmsMessage, sms),
        ] {
            let found = stored.get(&(self.org.organization_id.clone(), class)).cloned().unwrap_or_default();
            self.compare(kind, &known, found.into_iter(), "the table");
        }
    }

    fn verify_chat(&mut self) {
        let query = format!("chatPhoneNumberId={}&", self.known().chat_number);
        let found = self.walk("/v1/organization/chat/messages", &query, 100);
        let (chat, wrote) = {
            let known = self.known();
            (known.chat.clone(), known.wrote.clone())
        };
        self.compare(
            "chat messages",
            &chat.keys().cloned().collect(),
            found.iter().map(|it| text(it, "id")),
            "the list",
        );
        for message in &found {
            let id = text(message, "id");
            if chat.get(&id).is_some_and(|content| message["textBody"] != content.as_str()) {
                self.tally.lost(format!("chat message {id} has another text"));
            }
        }
        let call = self.admin(Call::get("/v1/organization/playground/chat/phone-numbers/user"));
        let users = self.get(call).unwrap_or_default();
        let numbers = users["numbers"].as_array().cloned().unwrap_or_default();
        let numbers = numbers.into_iter().filter_map(|number| number.as_str().map(str::to_owned));
        self.compare("playground users", &wrote, numbers, "the list");
    }

    fn verify_gone(&mut self) {
        let (gone, revoked) = {
            let known = self.known();
            (known.gone.clone(), known.revoked.clone())
        };
        for (path, credential) in gone {
            let call = Call::get(&path);
            let call =
                credential.map_or_else(|| self.app_call(call.clone()), |credential| call.clone().key(&credential));
            let status = self.client.finally(&call).0.status;
            if status != 404 {
                self.tally.lost(format!("{path} was deleted but returns {status}"));
            }
        }
        for (path, credential) in revoked {
            let status = self.client.finally(&Call::get(&path).key(&credential)).0.status;
            if status != 401 {
                self.tally.lost(format!("a revoked credential gets {status} for {path}"));
            }
        }
    }

    pub(crate) fn delivery_statuses(&mut self) -> Counts {
        let path = {
            let known = self.known();
            format!("/v1/organization/apps/{}/webhooks/{}/deliveries", known.app, known.webhook)
        };
        let mut counts = Counts::new();
        for delivery in self.walk(&path, "", 100) {
            *counts.entry(text(&delivery, "status")).or_default() += 1;
        }
        counts
    }
}
