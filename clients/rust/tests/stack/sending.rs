//! Messages, groups, files and the playground.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use messaging_client::queries::{
    ChatGroupsListQuery, ChatMessagesListQuery, ChatTemplatesListQuery, FailuresListQuery,
    OrganizationChatMessagesListQuery, OrganizationSmsMessagesListQuery, PageQuery, SmsListQuery, UsageListQuery,
};
use messaging_client::types::{
    AddChatGroupParticipants, AppNumber, ChangeBlockedUsers, CreateChatGroup, DecideChatGroupJoinRequests,
    InboundMessage, ReceivedText, RemoveChatGroupParticipants, RunSimulation, SendSms, SendText, SendTextMessage,
    SimulateInboundChat, SimulateInboundSms, SimulateNotification, TakePhoneNumber, UpdateChatGroup,
};
use messaging_client::{Until, UploadSource};
use serde_json::json;

use crate::recorder::{Stack, until};

const TO: &str = "+12025550123";
/// An image of one pixel.
pub(crate) const PNG: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 4, 0, 0, 0, 181, 28, 12,
    2, 0, 0, 0, 11, 73, 68, 65, 84, 120, 218, 99, 100, 96, 0, 0, 0, 6, 0, 2, 48, 129, 208, 47, 0, 0, 0, 0, 73, 69, 78,
    68, 174, 66, 96, 130,
];

/// Returns the ids of the app's WhatsApp number and of one of its SMS numbers.
async fn numbers(stack: &Stack) -> (String, String) {
    let (mut chat, mut sms) = (None, None);
    let mut numbers = stack.app.phone_numbers().list(&PageQuery { limit: Some(1), ..Default::default() }).items();
    while let Some(number) = numbers.next().await.unwrap() {
        match number.value {
            AppNumber::Chat(number) => chat = Some(number.id),
            AppNumber::Sms(number) => sms = Some(number.id),
            AppNumber::Unknown(number) => panic!("{number}"),
        }
    }
    (chat.unwrap(), sms.unwrap())
}

pub(crate) async fn messages(stack: &Stack) {
    let (chat_number, sms_number) = numbers(stack).await;
    chat(stack, &chat_number).await;
    sms(stack, &sms_number).await;
    let query = ChatTemplatesListQuery { chat_phone_number_id: chat_number, ..Default::default() };
    stack.app.chat().templates().list(&query).await.unwrap();
    stack.app.phone_numbers().unassign(&sms_number).await.unwrap();
    stack.app.phone_numbers().assign(&TakePhoneNumber { phone_number_id: sms_number }).await.unwrap();
}

async fn chat(stack: &Stack, number: &str) {
    let messages = stack.app.chat().messages();
    let text = SendText { body: "Hello".to_owned(), ..Default::default() };
    let message = SendTextMessage { from: number.to_owned(), to: Some(TO.to_owned()), text, ..Default::default() };
    let sent = messages.send(&message.into()).await.unwrap();
    assert_eq!(sent.raw["outcome"], "ACCEPTED");
    assert_eq!(messages.wait_for(&sent.id, Until::Read).await.unwrap().raw["recipients"][0]["status"], "READ");

    let query =
        ChatMessagesListQuery { chat_phone_number_id: Some(number.to_owned()), limit: Some(1), ..Default::default() };
    let mut listed = messages.list(&query).items();
    while listed.next().await.unwrap().expect("the message is listed").id != sent.id {}
    let of_organization = stack.admin.organization().chat().messages();
    let query = OrganizationChatMessagesListQuery { chat_phone_number_id: number.to_owned(), ..Default::default() };
    of_organization.list(&query).await.unwrap();
    of_organization.get(&sent.id).await.unwrap();
    let told = messages.timeline().list(&sent.id, &PageQuery::default()).await.unwrap();
    assert_eq!(told.raw["data"][0]["kind"], "REQUESTED");
    of_organization.timeline().list(&sent.id, &PageQuery::default()).await.unwrap();

    let playground = stack.app.playground().chat();
    let user = playground.user_numbers().create().await.unwrap().value.number;
    stack.admin.organization().playground().chat().user_numbers().list().await.unwrap();
    let inbound: SimulateInboundChat = SimulateInboundChat {
        text: Some(ReceivedText { body: "Hi".to_owned() }),
        ..serde_json::from_value(json!({"from": user, "type": "text"})).unwrap()
    };
    let message_id = playground.simulate_inbound(&inbound).await.unwrap().value.id;
    messages.mark_read(&InboundMessage { message_id: message_id.clone() }).await.unwrap();
    messages.show_typing(&InboundMessage { message_id }).await.unwrap();

    let blocked = stack.app.chat().phone_numbers().blocked_users();
    let users = ChangeBlockedUsers { users: vec![user] };
    blocked.block(number, &users).await.unwrap();
    blocked.list(number, &PageQuery::default()).await.unwrap();
    blocked.unblock(number, &users).await.unwrap();
}

async fn sms(stack: &Stack, number: &str) {
    let sms = stack.app.sms();
    let message =
        SendSms { from: number.to_owned(), to: TO.to_owned(), text: Some("Hello".to_owned()), ..Default::default() };
    let sent = sms.send(&message).await.unwrap();
    assert_eq!(sms.wait_for(&sent.id, Until::Delivered).await.unwrap().raw["status"], "DELIVERED");
    let query = SmsListQuery { phone_number_id: Some(number.to_owned()), ..Default::default() };
    sms.list(&query).await.unwrap();
    let of_organization = stack.admin.organization().sms().messages();
    let query = OrganizationSmsMessagesListQuery { phone_number_id: number.to_owned(), ..Default::default() };
    of_organization.list(&query).await.unwrap();
    of_organization.get(&sent.id).await.unwrap();
    sms.timeline().list(&sent.id, &PageQuery::default()).await.unwrap();
    of_organization.timeline().list(&sent.id, &PageQuery::default()).await.unwrap();
    let organization = stack.admin.organization();
    stack.app.failures().list(&FailuresListQuery::default()).await.unwrap();
    organization.failures().list(&FailuresListQuery::default()).await.unwrap();
    stack.app.usage().list(&UsageListQuery::default()).await.unwrap();
    organization.usage().list(&UsageListQuery::default()).await.unwrap();
    organization.attention().list(&PageQuery::default()).await.unwrap();

    let system = stack.app.playground().system_numbers().list().await.unwrap().value.numbers.remove(0);
    let inbound = SimulateInboundSms { from: "+442079460123".to_owned(), to: system, text: "Hi".to_owned() };
    stack.app.playground().sms().simulate_inbound(&inbound).await.unwrap();
}

pub(crate) async fn groups(stack: &Stack) {
    let (number, _) = numbers(stack).await;
    let groups = &stack.app.chat().groups();
    let wanted = CreateChatGroup {
        chat_phone_number_id: number.clone(),
        subject: "Friends".to_owned(),
        join_approval_mode: Some("approval_required".to_owned().into()),
        ..Default::default()
    };
    let group = &groups.create(&wanted).await.unwrap().value.id;
    let is_active = || async move { groups.get(group).await.unwrap().raw["status"] == "ACTIVE" };
    until("the group is active", is_active).await;
    groups.list(&ChatGroupsListQuery { chat_phone_number_id: number, ..Default::default() }).await.unwrap();
    groups.update(group, &UpdateChatGroup { subject: Some("Foes".to_owned()), ..Default::default() }).await.unwrap();
    groups.replace_invite_link(group).await.unwrap();
    let requests = groups.join_requests();
    let ids = |id: &str| DecideChatGroupJoinRequests { join_request_ids: vec![id.to_owned()] };
    requests.list(group, &PageQuery::default()).await.unwrap();
    requests.approve(group, &ids("join-unknown-1")).await.unwrap();
    requests.reject(group, &ids("join-unknown-2")).await.unwrap();
    let participants = vec![TO.to_owned()];
    let added = AddChatGroupParticipants { participants: participants.clone() };
    groups.participants().add(group, &added).await.unwrap();
    groups.participants().remove(group, &RemoveChatGroupParticipants { participants }).await.unwrap();
    groups.delete(group).await.unwrap();
}

pub(crate) async fn media(stack: &Stack) {
    let media = stack.app.media();
    let small = media.upload(UploadSource::bytes(PNG)).file_name("a.png").await.unwrap();
    assert_eq!(media.get(&small.id).await.unwrap().raw["fileSize"], PNG.len());
    media.delete(&small.id).await.unwrap();
    let text = "x".repeat(5 * 1024 * 1024);
    let size = text.len() as u64;
    let loaded = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&loaded);
    let upload = media.upload(UploadSource::bytes(text)).file_name("a.txt");
    let large = upload.on_progress(move |at| seen.store(at.loaded, Ordering::Relaxed)).await.unwrap();
    assert_eq!(large.raw["fileSize"], size);
    assert_eq!(loaded.load(Ordering::Relaxed), size);
}

pub(crate) async fn playground(stack: &Stack) {
    let (target, _) = numbers(stack).await;
    let playground = stack.app.playground();
    let notification = SimulateNotification {
        field: "account_review_update".to_owned(),
        target: Some(target.clone()),
        value: json!({"decision": "APPROVED"}),
    };
    playground.notifications().simulate(&notification).await.unwrap();
    assert!(playground.scenarios().list().await.unwrap().raw["data"][0].is_object());
    let wanted: RunSimulation =
        serde_json::from_value(json!({"scenario": "account_rejected", "target": target})).unwrap();
    let simulation = playground.simulations().run(&wanted).await.unwrap();
    playground.simulations().get(&simulation.id).await.unwrap();
}
