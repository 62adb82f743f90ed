//! Attributes of schemas and parameters, which take literals only. Lengths of most texts are not here: their types take the
//! constants.

use std::collections::BTreeMap;

use api::keys;
use domain::chat::blocked::USERS_PER_REQUEST;
use domain::chat::business_app::WHOLE;
use domain::chat::group::{MOST_JOIN_REQUESTS, MOST_PARTICIPANTS};
use domain::chat::health::PROBLEMS_KEPT;
use domain::chat::number_profile::WEBSITES;
use domain::chat::onboarding_link::{DEFAULT_SECONDS, LONGEST_SECONDS, SHORTEST_SECONDS};
use domain::chat::outgoing::contact::{CARDS, ENTRIES};
use domain::chat::outgoing::reaction::{EMOJI_LENGTH, PIN_DAYS};
use domain::chat::outgoing::{CLIENT_REFERENCE_LENGTH, card, interactive, products, template};
use domain::chat::profile::ACCESS_TOKEN_LENGTH;
use domain::chat::template_draft::{Category, MOST_COMPONENTS, THIRTY_DAYS};
use domain::events::webhook::{GRACE_SECONDS, MOST_GRACE_SECONDS};
use domain::identity::grant::NETWORKS_PER_KEY;
use domain::identity::rate::{MOST_BURST, MOST_PER_SECOND};
use domain::media::MediaKind;
use domain::message::{LONGEST_WAIT, SHORTEST_WAIT};
use domain::number::APPS_PER_NUMBER;
use domain::page::{DEFAULT_PER_PAGE, MOST_PER_PAGE, USAGE_GAPS_KEPT, USAGE_ROWS_PER_PAGE};
use domain::testing::playground::{ORDER_ITEMS, ORDER_PRICE, ORDER_QUANTITY};
use domain::testing::simulation::MAX_DELAY;
use domain::text::STRING_LENGTH;
use domain::usage::rate_card::MOST_PRICES;
use domain::{calling, identity::organization};
use serde_json::{Value, json};

use crate::contract::defaults::described_default;

/// The keywords that limit a number or a list. A default is said in the description.
const KEYWORDS: [&str; 4] = ["minimum", "maximum", "default", "maxItems"];

/// Returns what a property says of a keyword.
fn said(property: &Value, keyword: &str) -> Value {
    if keyword == "default" {
        return described_default(property).unwrap_or_default();
    }
    property[keyword].clone()
}

/// The keywords of all properties with their values, by schema, property and keyword. The messages of all types share
/// their fields, so they count as one schema.
fn limits(document: &Value) -> BTreeMap<String, Value> {
    let mut limits = BTreeMap::new();
    for (schema, definition) in document["components"]["schemas"].as_object().unwrap() {
        let is_message = schema.starts_with("Send") && schema.ends_with("Message");
        let schema: &str = if is_message { "SendMessage" } else { schema };
        for (property, definition) in definition["properties"].as_object().into_iter().flatten() {
            for keyword in KEYWORDS {
                let value = said(definition, keyword);
                if value.as_f64().is_some_and(|number| number != 0.0 && number != 1.0) {
                    let before = limits.insert(format!("{schema}.{property} {keyword}"), value.clone());
                    assert!(before.is_none_or(|before| before == value), "{schema}.{property}");
                }
            }
        }
    }
    limits
}

/// Every limit of a number or a list in the document is that of a constant.
#[test]
fn numbers_and_lists_have_the_limits_of_the_code() {
    let document = contract::document();
    let recoverable = document["components"]["schemas"]["RecoverableDeliveryStatus"]["enum"].as_array().unwrap().len();
    let longest_ttl = *Category::Marketing.times_to_live().0.end();
    let expected = [
        ("BusinessAppShare.progress maximum", json!(WHOLE)),
        ("AddChatGroupParticipants.participants maxItems", json!(MOST_PARTICIPANTS)),
        ("ChangeBlockedUsers.users maxItems", json!(USERS_PER_REQUEST)),
        ("ChatBusinessProfileHealth.problems maxItems", json!(PROBLEMS_KEPT)),
        ("ChatContactCard.addresses maxItems", json!(ENTRIES.end())),
        ("ChatContactCard.emails maxItems", json!(ENTRIES.end())),
        ("ChatContactCard.phones maxItems", json!(ENTRIES.end())),
        ("ChatContactCard.urls maxItems", json!(ENTRIES.end())),
        ("RateCard.prices maxItems", json!(MOST_PRICES)),
        ("SetRateCard.prices maxItems", json!(MOST_PRICES)),
        ("UsagePage.data maxItems", json!(USAGE_ROWS_PER_PAGE)),
        ("UsagePage.gaps maxItems", json!(USAGE_GAPS_KEPT)),
        ("UsageRow.durations maxItems", json!(store::durations().count())),
        ("CreateAdminKey.allowedIps maxItems", json!(NETWORKS_PER_KEY)),
        ("CreateAppKey.allowedIps maxItems", json!(NETWORKS_PER_KEY)),
        ("CreateChatTemplate.components maxItems", json!(MOST_COMPONENTS)),
        ("CreateChatTemplate.messageSendTtlSeconds maximum", json!(longest_ttl)),
        ("CreateChatTemplate.messageSendTtlSeconds minimum", json!(THIRTY_DAYS)),
        ("CreateMediaUpload.fileSize maximum", json!(MediaKind::Document.limit())),
        ("CreateOnboardingLink.expiresIn default", json!(DEFAULT_SECONDS)),
        ("CreateOnboardingLink.expiresIn maximum", json!(LONGEST_SECONDS)),
        ("CreateOnboardingLink.expiresIn minimum", json!(SHORTEST_SECONDS)),
        ("CreatePhoneNumber.appIds maxItems", json!(APPS_PER_NUMBER)),
        ("DecideChatGroupJoinRequests.joinRequestIds maxItems", json!(MOST_JOIN_REQUESTS)),
        ("OrganizationSettings.mediaRetentionDays maximum", json!(organization::LONGEST_MEDIA_RETENTION_DAYS)),
        ("OrganizationSettings.messageRetentionDays maximum", json!(organization::LONGEST_MESSAGE_RETENTION_DAYS)),
        ("OrganizationSettings.messageRetentionDays minimum", json!(organization::SHORTEST_MESSAGE_RETENTION_DAYS)),
        ("RateLimit.burst maximum", json!(MOST_PER_SECOND * MOST_BURST)),
        ("RateLimit.requestsPerSecond maximum", json!(MOST_PER_SECOND)),
        ("ReceivedOrder.items maxItems", json!(ORDER_ITEMS)),
        ("ReceivedOrderItem.itemPrice maximum", json!(ORDER_PRICE as u64)),
        ("ReceivedOrderItem.quantity maximum", json!(ORDER_QUANTITY)),
        ("RecoverWebhook.statuses maxItems", json!(recoverable)),
        ("RegisterChatPhoneNumber.appIds maxItems", json!(APPS_PER_NUMBER)),
        ("RemoveChatGroupParticipants.participants maxItems", json!(MOST_PARTICIPANTS)),
        ("RotateKey.gracePeriodSeconds default", json!(keys::GRACE_SECONDS)),
        ("RotateKey.gracePeriodSeconds maximum", json!(keys::MOST_GRACE_SECONDS)),
        ("RotateWebhookSecret.gracePeriodSeconds default", json!(GRACE_SECONDS)),
        ("RotateWebhookSecret.gracePeriodSeconds maximum", json!(MOST_GRACE_SECONDS)),
        ("RunSimulation.delaySeconds maximum", json!(MAX_DELAY)),
        ("SendButtonsInteractive.buttons maxItems", json!(interactive::BUTTONS.end())),
        ("SendListInteractive.sections maxItems", json!(interactive::SECTIONS.end())),
        ("SendListSection.rows maxItems", json!(interactive::ROWS.end())),
        ("SendMessage.contacts maxItems", json!(CARDS.end())),
        ("SendMessage.validForSeconds maximum", json!(LONGEST_WAIT.as_secs())),
        ("SendMessage.validForSeconds minimum", json!(SHORTEST_WAIT.as_secs())),
        ("SendPin.expirationDays maximum", json!(PIN_DAYS.end())),
        ("SendSms.validForSeconds maximum", json!(LONGEST_WAIT.as_secs())),
        ("SendSms.validForSeconds minimum", json!(SHORTEST_WAIT.as_secs())),
        ("SendTemplate.buttons maxItems", json!(template::BUTTONS.end())),
        ("SendTemplate.cards maxItems", json!(card::CARDS.end())),
        ("SendTemplateButton.index maximum", json!(template::LAST_BUTTON)),
        ("SendTemplateCard.buttons maxItems", json!(card::CARD_BUTTONS.end())),
        ("SendTemplateProductSection.productRetailerIds maxItems", json!(products::PRODUCTS.end())),
        ("SendTemplateProducts.sections maxItems", json!(products::PRODUCT_SECTIONS.end())),
        ("SetCallingConfiguration.maxConcurrentCalls default", json!(calling::DEFAULT_CONCURRENT_CALLS)),
        ("SetCallingConfiguration.maxConcurrentCalls maximum", json!(calling::MOST_CONCURRENT_CALLS)),
        ("SetCallingConfiguration.voicemailMaxDuration default", json!(calling::DEFAULT_VOICEMAIL_SECONDS)),
        ("SetCallingConfiguration.voicemailMaxDuration maximum", json!(calling::LONGEST_VOICEMAIL_SECONDS)),
        ("SetRateLimit.burst maximum", json!(MOST_PER_SECOND * MOST_BURST)),
        ("SetRateLimit.requestsPerSecond maximum", json!(MOST_PER_SECOND)),
        ("SimulateInboundChat.contacts maxItems", json!(CARDS.end())),
        ("UpdateChatNumberProfile.websites maxItems", json!(WEBSITES)),
        ("UpdateChatTemplate.components maxItems", json!(MOST_COMPONENTS)),
        ("UpdateChatTemplate.messageSendTtlSeconds maximum", json!(longest_ttl)),
        ("UpdateChatTemplate.messageSendTtlSeconds minimum", json!(THIRTY_DAYS)),
        ("UpdateKey.allowedIps maxItems", json!(NETWORKS_PER_KEY)),
        ("UpdateOrganizationSettings.mediaRetentionDays maximum", json!(organization::LONGEST_MEDIA_RETENTION_DAYS)),
        (
            "UpdateOrganizationSettings.messageRetentionDays maximum",
            json!(organization::LONGEST_MESSAGE_RETENTION_DAYS),
        ),
        (
            "UpdateOrganizationSettings.messageRetentionDays minimum",
            json!(organization::SHORTEST_MESSAGE_RETENTION_DAYS),
        ),
    ];
    let expected: BTreeMap<_, _> = expected.into_iter().map(|(name, limit)| (name.to_owned(), limit)).collect();
    assert_eq!(limits(&document), expected);
}

#[test]
fn texts_have_the_lengths_of_the_code() {
    let document = contract::document();
    let schemas = &document["components"]["schemas"];
    for (schema, property, length) in [
        ("ChatReaction", "emoji", EMOJI_LENGTH),
        ("CompleteSignup", "redirectUri", STRING_LENGTH),
        ("ConnectAccount", "accessToken", ACCESS_TOKEN_LENGTH),
    ] {
        assert_eq!(schemas[schema]["properties"][property]["maxLength"], json!(length), "{schema}.{property}");
    }

    let cards = schemas.as_object().unwrap().iter().filter(|(name, _)| name.starts_with("ChatContactCard"));
    let texts = cards.flat_map(|(_, card)| card["properties"].as_object().unwrap().values());
    let lengths: Vec<_> = texts.filter_map(|text| text.get("maxLength")).collect();
    assert!(!lengths.is_empty() && lengths.iter().all(|length| **length == json!(STRING_LENGTH)), "{lengths:?}");
}

#[test]
fn query_parameters_have_the_limits_of_the_code() {
    let document = contract::document();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let parameters = operations.filter_map(|operation| operation["parameters"].as_array()).flatten();
    let mut lists = 0;
    for parameter in parameters {
        let schema = &parameter["schema"];
        match parameter["name"].as_str() {
            Some("limit") => {
                let of_usage = (json!(USAGE_ROWS_PER_PAGE), json!(USAGE_ROWS_PER_PAGE));
                let found = (schema["maximum"].clone(), schema["default"].clone());
                assert!(found == (json!(MOST_PER_PAGE), json!(DEFAULT_PER_PAGE)) || found == of_usage, "{found:?}");
                lists += 1;
            }
            Some("clientReference") => assert_eq!(schema["maxLength"], json!(CLIENT_REFERENCE_LENGTH)),
            _ => {}
        }
    }
    assert!(lists > 0);
}
