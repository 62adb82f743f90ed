//! Phone numbers, playground users, messages, groups and media.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tests::Call;

use super::access::SMS_EVENTS;
use super::known::Number;
use super::{Tenant, text};
use crate::client::agent;

const NUMBERS: usize = 150;
const NUMBERS_OF_AN_APP: usize = 50;
const USERS: usize = 60;
const MEDIA: usize = 80;
/// The number of webhook tests per tenant, below the limit of 60 per hour.
const TESTS: usize = 50;
const STRANGER: &str = "+442079460123";
/// A number that the simulated carrier cannot reach.
const NOBODY: &str = "+99940002";
const PDF: &str = "application/pdf";

impl Tenant {
    /// Sends a message that emits one or two events.
    pub(super) fn message(&mut self, waiting: usize) {
        let luck = self.below(100);
        match luck {
            0..40 => self.write_chat(),
            65..90 if waiting > 1 => self.send_sms(),
            40..90 => self.get_sms(),
            90..95 => self.fail_sms(),
            _ => self.test_webhook(),
        }
    }

    fn write_chat(&mut self) {
        let users = self.known().users.clone();
        let (user, content) = (self.pick(&users).unwrap(), format!("Chat {}", self.unique()));
        let body = json!({"from": user, "type": "text", "text": {"body": content}});
        let call = self.app_call(Call::post("/v1/playground/chat/inbound").json(&body));
        self.create(call, 201, move |known, made| {
            known.wrote.insert(user.clone());
            known.chat.insert(text(made, "id"), content.clone());
            known.await_event("messages.chat.received", &text(made, "id"));
        });
    }

    fn sms(&mut self, path: &str, from: &str, to: &str) -> Call {
        let body = json!({"from": from, "to": to, "text": format!("SMS {}", self.unique())});
        self.app_call(Call::post(path).json(&body))
    }

    fn get_sms(&mut self) {
        let system = self.known().system.clone();
        let call = self.sms("/v1/playground/sms/inbound", STRANGER, &system);
        self.create(call, 201, |known, made| {
            known.wrote.insert(STRANGER.to_owned());
            known.sms.insert(text(made, "id"));
            known.await_event("messages.sms.received", &text(made, "id"));
        });
    }

    fn send_sms(&mut self) {
        self.send_sms_to(STRANGER, ["messages.sms.sent", "messages.sms.delivered"]);
    }

    fn fail_sms(&mut self) {
        self.send_sms_to(NOBODY, ["messages.sms.sent", "messages.sms.failed"]);
    }

    fn send_sms_to(&mut self, to: &str, events: [&'static str; 2]) {
        let system = self.known().system.clone();
        let call = self.sms("/v1/sms", &system, to);
        self.send_message(call, move |known, made| {
            let id = text(made, "id");
            known.sms.insert(id.clone());
            // A message whose attempt was killed may have been sent or not.
            let was_sent = made["outcome"] == "ACCEPTED";
            events.iter().for_each(|event| match was_sent {
                true => known.await_event(event, &id),
                false => known.allow_event(event, &id),
            });
        });
    }

    fn test_webhook(&mut self) {
        if self.tests == TESTS {
            return self.get_sms();
        }
        self.tests += 1;
        let path = {
            let known = self.known();
            format!("/v1/organization/apps/{}/webhooks/{}/test", known.app, known.webhook)
        };
        let event = self.pick(&SMS_EVENTS).unwrap();
        let call = self.admin(Call::post(path).json(&json!({"event": event})));
        self.create(call, 202, |known, made| known.await_event("test", &text(made, "eventId")));
    }

    pub(super) fn make_number(&mut self) {
        if self.known().numbers.len() >= NUMBERS {
            return self.delete_number();
        }
        let unique = self.unique();
        let number = format!("+4930{:03}{:07}", self.number, self.counter);
        let spare = self.known().spare_live_apps();
        let count = self.below(3).min(spare.len());
        let apps: BTreeSet<String> = self.random.choose_multiple(spare, count).into_iter().collect();
        self.known().last_number = Some((unique.clone(), number.clone()));
        let body = json!({"number": number, "appIds": apps});
        let call = self.admin(Call::post("/v1/organization/phone-numbers").json(&body));
        self.create_under(&unique, call, 201, move |known, made| {
            known.numbers.insert(text(made, "id"), Number { number: number.clone(), apps: apps.clone() });
        });
    }

    fn any_number(&mut self) -> Option<String> {
        let numbers: Vec<String> = self.known().numbers.keys().cloned().collect();
        self.pick(&numbers)
    }

    pub(super) fn delete_number(&mut self) {
        let Some(number) = self.any_number() else { return self.make_number() };
        let path = format!("/v1/organization/phone-numbers/{number}");
        if self.changes(Call::delete(&path)) {
            let admin = self.org.admin_key.clone();
            let mut known = self.known();
            known.numbers.remove(&number);
            known.gone.push((path, Some(admin)));
        }
    }

    pub(super) fn assign(&mut self) {
        let spare = self.known().spare_live_apps();
        let (Some(app), Some(number)) = (self.pick(&spare), self.any_number()) else { return self.make_number() };
        let path = format!("/v1/organization/apps/{app}/phone-numbers/{number}");
        let (is_assigned, count) = {
            let known = self.known();
            let count = known.numbers.values().filter(|number| number.apps.contains(&app)).count();
            (known.numbers[&number].apps.contains(&app), count)
        };
        if is_assigned {
            if self.changes(Call::delete(path)) {
                self.known().numbers.get_mut(&number).unwrap().apps.remove(&app);
            }
        } else if count < NUMBERS_OF_AN_APP && self.changes(Call::put(path)) {
            self.known().numbers.get_mut(&number).unwrap().apps.insert(app);
        }
    }

    pub(super) fn make_user(&mut self) {
        if self.known().users.len() >= USERS {
            return self.read();
        }
        let call = self.app_call(Call::post("/v1/playground/chat/phone-numbers/user").json(&json!({})));
        self.create(call, 201, |known, made| known.users.push(text(made, "number")));
    }

    pub(super) fn make_group(&mut self) {
        // The simulated platform fails for a subject that ends in "-" and a number.
        let subject = format!("Group {} of the soak", self.unique());
        let chat_number = self.known().chat_number.clone();
        let body = json!({"chatPhoneNumberId": chat_number, "subject": subject});
        let call = self.app_call(Call::post("/v1/chat/groups").json(&body));
        self.create(call, 201, move |known, made| {
            known.groups.insert(text(made, "id"), subject.clone());
        });
    }

    pub(super) fn upload(&mut self) {
        if self.known().media.len() >= MEDIA {
            return self.delete_media();
        }
        let mut content = format!("%PDF-1.4\n{}", self.unique()).into_bytes();
        let longer = content.len() + self.below(20_001);
        content.resize(longer, b' ');
        if self.random.f64() < 0.4 { self.upload_directly(content) } else { self.upload_here(content) }
    }

    fn upload_here(&mut self, content: Vec<u8>) {
        let call = self.app_call(Call::post("/v1/media").file("soak.pdf", Some(PDF), &content));
        self.create(call, 201, move |known, made| {
            known.media.insert(text(made, "id"), content.clone());
        });
    }

    fn upload_directly(&mut self, content: Vec<u8>) {
        let announced: Arc<Mutex<Option<Value>>> = Arc::default();
        let body = json!({"fileName": "soak.pdf", "mimeType": PDF, "fileSize": content.len()});
        let (call, kept) = (self.app_call(Call::post("/v1/media/uploads").json(&body)), announced.clone());
        self.create(call, 201, move |_, made| *kept.lock().unwrap() = Some(made.clone()));
        // If the request continues in the background, nobody completes the upload.
        let Some(upload) = announced.lock().unwrap().take() else { return };
        let mut request = http::Request::put(text(&upload, "uploadUrl"));
        for (name, value) in upload["headers"].as_object().unwrap() {
            // The client sets the length itself.
            if !name.eq_ignore_ascii_case("content-length") {
                request = request.header(name, value.as_str().unwrap());
            }
        }
        let answer = agent().run(request.body(content.clone()).unwrap()).unwrap();
        assert!(answer.status().is_success(), "an upload to the bucket failed: {answer:?}");
        let complete = Call::post(format!("/v1/media/{}/complete", text(&upload, "id"))).json(&json!({}));
        self.create(self.app_call(complete), 200, move |known, made| {
            known.media.insert(text(made, "id"), content.clone());
        });
    }

    pub(super) fn delete_media(&mut self) {
        let media: Vec<String> = self.known().media.keys().cloned().collect();
        let Some(media) = self.pick(&media) else { return self.upload() };
        let path = format!("/v1/media/{media}");
        let call = self.app_call(Call::delete(&path));
        if self.ask(call, 200).is_some() {
            let mut known = self.known();
            known.media.remove(&media);
            known.gone.push((path, None));
        }
    }
}
