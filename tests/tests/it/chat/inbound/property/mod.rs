//! Mutated payloads, over a table in memory: a notification is always answered 200, each of its updates that has an id is
//! applied, and the messages beside a mutated one are what they would be without it.

mod service;
mod tree;

use std::sync::{Mutex, PoisonError};

use proptest::prelude::*;
use tests::settings::of_size;

pub(super) use self::service::Service;
use self::tree::{Tree, frame};

/// Messages, without id and time.
const MESSAGES: &[&str] = &[
    r#"{"from": "16505550001", "type": "text", "text": {"body": "Hi"}, "context": {"id": "wamid.before", "from": "1", "forwarded": true}}"#,
    r#"{"from": "16505550001", "from_user_id": "US.1", "type": "image", "image": {"id": "9", "mime_type": "image/png", "caption": "C"}}"#,
    r#"{"from": "16505550001", "type": "audio", "audio": {"id": 9, "voice": true}, "group_id": "G1"}"#,
    r#"{"from_user_id": "US.1", "type": "location", "location": {"latitude": 1.5, "longitude": "2", "name": "N", "address": "A", "url": "u"}}"#,
    r#"{"from": "16505550001", "type": "contacts", "contacts": [{"name": {"formatted_name": "B"}, "phones": [{"phone": "1"}]}]}"#,
    r#"{"from": "16505550001", "type": "interactive", "interactive": {"type": "list_reply", "list_reply": {"id": "1", "title": "T"}}}"#,
    r#"{"from": "16505550001", "type": "button", "button": {"payload": "p", "text": "t"}}"#,
    r#"{"from": "16505550001", "type": "reaction", "reaction": {"message_id": "wamid.before", "emoji": "x"}}"#,
    r#"{"from": "16505550001", "type": "order", "order": {"catalog_id": "1", "text": "t", "product_items": [{"product_retailer_id": "a", "quantity": 2, "item_price": 1.5, "currency": "EUR"}]}}"#,
    r#"{"from": "16505550001", "type": "system", "system": {"body": "b", "type": "user_changed_number", "wa_id": "16505550002", "user_id": "US.2"}}"#,
    r#"{"from": "16505550001", "type": "edit", "edit": {"original_message_id": "wamid.before", "message": {"type": "text", "text": {"body": "N"}}}}"#,
    r#"{"from": "16505550001", "type": "revoke", "revoke": {"original_message_id": "wamid.later"}}"#,
    r#"{"from": "16505550001", "type": "unsupported", "errors": [{"code": 131051, "title": "T", "message": "M", "error_data": {"details": "D"}}]}"#,
    r#"{"from": "16505550001", "type": "text", "text": {"body": "Hi"}, "referral": {"source_id": "1", "ctwa_clid": "c", "welcome_message": {"text": "W"}}}"#,
];

/// Statuses, without id and time.
const STATUSES: &[&str] = &[
    r#"{"status": "sent", "recipient_id": "16505550001", "conversation": {"id": "c", "expiration_timestamp": "2000086400", "origin": {"type": "service"}}, "pricing": {"billable": true, "pricing_model": "PMP", "type": "regular", "category": "service"}}"#,
    r#"{"status": "failed", "recipient_id": "16505550001", "recipient_user_id": "US.1", "errors": [{"code": 131026, "title": "T", "error_data": {"details": "D"}}]}"#,
    r#"{"status": "delivered", "recipient_id": "G1", "recipient_type": "group", "recipient_participant_id": "16505550001", "biz_opaque_callback_data": "x"}"#,
];

const CONTACTS: &str = r#"[{"profile": {"name": "Ann", "username": "ann"}, "wa_id": "16505550001", "user_id": "US.1"}, {"profile": {"name": "Cid"}, "wa_id": "16505559999"}]"#;

/// What stands on both sides of a mutated message or status.
const NEIGHBOUR: &str = r#"{"from": "16505559999", "type": "text", "text": {"body": "beside"}}"#;
const STATUS_BESIDE: &str = r#"{"status": "sent", "recipient_id": "16505559999"}"#;

#[test]
fn no_mutation_costs_more_than_its_field() {
    let service = Mutex::new(Service::new());
    let mutations = || prop::collection::vec((any::<usize>(), any::<u8>(), any::<usize>()), 1..4);
    let config = ProptestConfig {
        cases: of_size(60, 300),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    let inputs = (0..MESSAGES.len() + STATUSES.len(), mutations(), prop::bool::weighted(0.3), mutations());

    proptest!(config, |((base, changes, is_contact_odd, contact_changes) in inputs)| {
        let service = service.lock().unwrap_or_else(PoisonError::into_inner);
        service.memory.reset();
        let is_message = base < MESSAGES.len();
        let (list, beside) = if is_message { ("messages", NEIGHBOUR) } else { ("statuses", STATUS_BESIDE) };
        let beside = [frame(&Tree::of(beside), "wamid.left"), frame(&Tree::of(beside), "wamid.right")];

        let mut victim = Tree::of(if is_message { MESSAGES[base] } else { STATUSES[base - MESSAGES.len()] });
        for change in changes {
            victim.mutate(change);
        }
        let mut contacts = Tree::of(CONTACTS);
        for change in contact_changes.into_iter().filter(|_| is_contact_odd) {
            contacts.mutate(change);
        }

        let bodies = [beside[0].clone(), frame(&victim, "wamid.victim"), beside[1].clone()];
        let odd = [r#""statuses": "x""#.to_owned(), format!(r#""{list}": null"#)];
        let more = if is_message && is_contact_odd { &odd[..] } else { &[] };
        let body = service.notification(list, &bodies, &contacts.json(), more);
        prop_assume!(body.len() < 3_000_000);

        service.apply(&body);
        let messages = service.messages();
        prop_assert!(messages.contains_key("wamid.victim"), "{body}");

        let changes = service.memory.changes();
        service.apply(&body);
        prop_assert_eq!(&service.memory.changes(), &changes, "a repetition changes something: {}", body);

        // Without the mutated one, its neighbours are the same.
        service.memory.reset();
        service.apply(&service.notification(list, &beside, CONTACTS, &[]));
        let alone = service.messages();
        for id in ["wamid.left", "wamid.right"] {
            let (mut beside, mut alone) = (messages[id].clone(), alone[id].clone());
            if is_contact_odd {
                for message in [&mut beside, &mut alone] {
                    for name in ["contactName", "fromUserId", "isTruncated"] {
                        message.as_object_mut().unwrap().remove(name);
                    }
                }
            }
            prop_assert_eq!(beside, alone, "{}", body);
        }
    });
}
