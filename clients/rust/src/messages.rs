//! Messages: sending, and the log of what was sent and received.

use crate::Pages;
use crate::types::{ChatMessageDetails, SendChatMessage, SendSms, SmsMessage};
use crate::{Client, Error, Request, Response, segment};

/// Which messages a list contains.
#[derive(Clone, Debug, Default)]
pub struct MessageFilter {
    /// The number of the organization, by its id. Lists of an organization need it.
    pub number: Option<String>,
    pub contact: Option<String>,
    pub direction: Option<String>,
    pub outcome: Option<String>,
    pub client_reference: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub limit: Option<u32>,
}

impl MessageFilter {
    fn apply<'a>(&self, request: Request<'a>, number: &str) -> Request<'a> {
        request
            .query_opt(number, self.number.as_ref())
            .query_opt("contact", self.contact.as_ref())
            .query_opt("direction", self.direction.as_ref())
            .query_opt("outcome", self.outcome.as_ref())
            .query_opt("clientReference", self.client_reference.as_ref())
            .query_opt("since", self.since.as_ref())
            .query_opt("until", self.until.as_ref())
            .query_opt("limit", self.limit)
    }
}

impl Client {
    /// Sends a chat message with an app key. What became of it is in `outcome`; an unknown outcome is no error.
    pub async fn send_chat(&self, message: &SendChatMessage) -> Result<Response<ChatMessageDetails>, Error> {
        self.post("/v1/chat/messages").json(message).send().await
    }

    /// Sends an SMS or MMS with an app key.
    pub async fn send_sms(&self, message: &SendSms) -> Result<Response<SmsMessage>, Error> {
        self.post("/v1/sms").json(message).send().await
    }

    /// The chat messages of the app's numbers, newest first.
    pub fn chat_messages(&self, filter: &MessageFilter) -> Pages<'_> {
        filter.apply(self.get("/v1/chat/messages"), "chatPhoneNumberId").pages()
    }

    /// The chat messages of a number of the organization, with an admin key.
    pub fn organization_chat_messages(&self, filter: &MessageFilter) -> Pages<'_> {
        filter.apply(self.get("/v1/organization/chat/messages"), "chatPhoneNumberId").pages()
    }

    pub fn sms_messages(&self, filter: &MessageFilter) -> Pages<'_> {
        filter.apply(self.get("/v1/sms"), "phoneNumberId").pages()
    }

    pub fn organization_sms_messages(&self, filter: &MessageFilter) -> Pages<'_> {
        filter.apply(self.get("/v1/organization/sms/messages"), "phoneNumberId").pages()
    }

    pub async fn chat_message(&self, id: &str) -> Result<Response<ChatMessageDetails>, Error> {
        self.get(&format!("/v1/chat/messages/{}", segment(id))).send().await
    }

    pub async fn organization_chat_message(&self, id: &str) -> Result<Response<ChatMessageDetails>, Error> {
        self.get(&format!("/v1/organization/chat/messages/{}", segment(id))).send().await
    }

    pub async fn sms_message(&self, id: &str) -> Result<Response<SmsMessage>, Error> {
        self.get(&format!("/v1/sms/{}", segment(id))).send().await
    }

    pub async fn organization_sms_message(&self, id: &str) -> Result<Response<SmsMessage>, Error> {
        self.get(&format!("/v1/organization/sms/messages/{}", segment(id))).send().await
    }
}
