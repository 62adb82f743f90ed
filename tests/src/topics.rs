//! SNS topics of the emulator, to which tests publish what the carrier reports. The emulator delivers it to a queue, in
//! the envelope that AWS documents.

use serde_json::{Value, json};

use crate::settings::endpoint;

pub struct Topic {
    arn: String,
    /// The account as the emulator knows it: the id of the access key.
    account: String,
}

impl Topic {
    /// A new topic of a queue's account, which leads to the queue.
    pub async fn leading_to(queue_url: &str) -> Topic {
        let mut parts = queue_url.rsplit('/');
        let (queue, account) = (parts.next().unwrap(), parts.next().unwrap().to_owned());
        let arn = |service: &str, name: &str| format!("arn:aws:{service}:us-east-1:{account}:{name}");
        let topic = Topic { arn: arn("sns", queue), account: account.clone() };
        topic.call("CreateTopic", &[("Name", queue)]).await;
        topic.call("Subscribe", &[("Protocol", "sqs"), ("Endpoint", &arn("sqs", queue))]).await;
        topic
    }

    /// A topic of the stack that `make test` deployed; the variable holds its ARN.
    pub fn deployed(variable: &str) -> Topic {
        let arn = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"));
        Topic { arn, account: "test".to_owned() }
    }

    pub async fn publish(&self, update: &Value) {
        self.publish_text(&update.to_string()).await;
    }

    pub async fn publish_text(&self, update: &str) {
        self.call("Publish", &[("Message", update)]).await;
    }

    async fn call(&self, action: &str, more: &[(&str, &str)]) {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("Action", action).append_pair("TopicArn", &self.arn).extend_pairs(more);
        let (form, account) = (form.finish(), self.account.clone());
        let scope = format!("{account}/20261123/us-east-1/sns/aws4_request");
        let signed = format!("AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=unused");
        let call = move || {
            let call = ureq::post(endpoint()).header("authorization", &signed);
            call.content_type("application/x-www-form-urlencoded").send(form).unwrap().status()
        };
        assert_eq!(tokio::task::spawn_blocking(call).await.unwrap(), 200, "{action}");
    }
}

/// A message that somebody sends to a linked number, as the carrier publishes it.
pub fn inbound(from: &str, to: &str, text: &str, id: &str) -> Value {
    json!({
        "originationNumber": from, "destinationNumber": to, "messageKeyword": "KEYWORD_012345678901", "messageBody": text,
        "inboundMessageId": id, "previousPublishedMessageId": "wJalrXUtnFEMI",
    })
}
