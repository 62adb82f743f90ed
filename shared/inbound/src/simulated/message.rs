//! Messages of simulated users.

use domain::chat::ChatPhoneNumber;
use domain::id::OrganizationId;
use domain::present::present;
use domain::schema::Line;
use domain::{E164, Failure, Timestamp, text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::SimulatedContent;
use crate::route::Routed;

/// The longest line of a referral, in characters.
const LINE_LENGTH: usize = 1024;

/// A message that a simulated user sends to a test number.
pub struct SimulatedMessage<'a> {
    /// The platform's id of the message.
    pub platform_id: &'a str,
    pub from: &'a E164,
    pub profile_name: Option<&'a str>,
    pub sent_at: Timestamp,
    /// The platform's id of the message that this one replies to.
    pub reply_to: Option<&'a str>,
    pub is_forwarded: bool,
    pub referral: Option<&'a SimulatedReferral>,
    pub content: &'a SimulatedContent,
}

/// The advertisement or post that led to the message.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all(deserialize = "camelCase", serialize = "snake_case"), deny_unknown_fields)]
#[schema(as = ReceivedReferral, rename_all = "camelCase")]
pub struct SimulatedReferral {
    /// The URL of the advertisement or post.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub source_url: Option<String>,
    /// WhatsApp's id of the advertisement or post.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub source_id: Option<String>,
    /// For example `ad` or `post`.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub source_type: Option<String>,
    /// The headline of the advertisement or post.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub headline: Option<String>,
    /// The text of the advertisement or post.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub body: Option<String>,
    /// The kind of medium in the advertisement or post, such as `image` or `video`.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub media_type: Option<String>,
    /// The URL of the image.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub image_url: Option<String>,
    /// The URL of the video.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub video_url: Option<String>,
    /// The URL of the video's thumbnail.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub thumbnail_url: Option<String>,
    /// WhatsApp's id of the click on the advertisement.
    #[schema(inline, value_type = Option<Line<{ LINE_LENGTH }>>)]
    pub ctwa_clid: Option<String>,
}

impl SimulatedReferral {
    /// Validates the fields of a request.
    pub fn checked(self) -> Result<Self, Failure> {
        let line = |value: Option<String>, field: &str| {
            value.map(|value| text::bounded(&value, &format!("referral.{field}"), LINE_LENGTH)).transpose()
        };
        Ok(SimulatedReferral {
            source_url: line(self.source_url, "sourceUrl")?,
            source_id: line(self.source_id, "sourceId")?,
            source_type: line(self.source_type, "sourceType")?,
            headline: line(self.headline, "headline")?,
            body: line(self.body, "body")?,
            media_type: line(self.media_type, "mediaType")?,
            image_url: line(self.image_url, "imageUrl")?,
            video_url: line(self.video_url, "videoUrl")?,
            thumbnail_url: line(self.thumbnail_url, "thumbnailUrl")?,
            ctwa_clid: line(self.ctwa_clid, "ctwaClid")?,
        })
    }
}

impl SimulatedMessage<'_> {
    /// Returns the notification with which the platform reports the message.
    pub fn notification(&self, number: &ChatPhoneNumber) -> Result<Value, Failure> {
        let digits = self.from.digits();
        let mut message = Map::from_iter([
            ("from".to_owned(), json!(digits)),
            ("id".to_owned(), json!(self.platform_id)),
            ("timestamp".to_owned(), json!(self.sent_at.seconds().to_string())),
        ]);
        message.extend(self.content.fields()?);
        if let Some(context) = self.context(number) {
            message.insert("context".to_owned(), context);
        }
        if let Some(referral) = self.referral {
            message.insert("referral".to_owned(), json!(referral));
        }

        let mut contact = json!({"wa_id": digits});
        if let Some(name) = self.profile_name {
            contact["profile"] = json!({"name": name});
        }
        let lists = json!({"contacts": [contact], "messages": [message]});
        Ok(super::notification(number, self.sent_at, lists))
    }

    /// Returns the updates that the notification contains.
    pub fn updates(&self, organization: &OrganizationId, number: &ChatPhoneNumber) -> Result<Vec<Routed>, Failure> {
        super::updates(organization, number, &self.notification(number)?)
    }

    fn context(&self, number: &ChatPhoneNumber) -> Option<Value> {
        let mut context = Map::new();
        if let Some(id) = self.reply_to {
            context.insert("from".to_owned(), json!(number.display_phone_number.digits()));
            context.insert("id".to_owned(), json!(id));
        }
        if self.is_forwarded {
            context.insert("forwarded".to_owned(), json!(true));
        }
        (!context.is_empty()).then_some(Value::Object(context))
    }
}
