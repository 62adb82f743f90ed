//! The carrier's client: the AWS SDK without its retries, and with a connection of its own for each send.

use aws::client_config;
use aws::connection::{Connection, OnDemand, on_demand};
use aws_sdk_pinpointsmsvoicev2::Client;
use aws_sdk_pinpointsmsvoicev2::types::MessageType;
use aws_smithy_types::retry::RetryConfig;

use async_trait::async_trait;
use domain::sms::receipt::{MESSAGE, ORGANIZATION};

use crate::error::CarrierError;
use crate::port::{Carrier, Sms};
use crate::settings::CarrierSettings;

/// The carrier over its API.
pub struct AwsCarrier {
    client: OnDemand<Client>,
    settings: CarrierSettings,
}

impl AwsCarrier {
    /// Returns a client over a connection to the carrier. Fails if the TLS configuration cannot be built.
    pub fn new(connection: &Connection, settings: CarrierSettings) -> Result<Self, String> {
        // A kept connection can be closed while a request is written to it. Then it would be unknown whether the
        // carrier has read the request.
        let connection = connection.without_reuse()?;
        let client = on_demand(move || {
            // The SDK would repeat time-outs and faults of the carrier, and so send a message twice.
            let config = client_config!(aws_sdk_pinpointsmsvoicev2, &connection).retry_config(RetryConfig::disabled());
            Client::from_conf(config.build())
        });
        Ok(AwsCarrier { client, settings })
    }
}

/// Sends a request with the fields that texts and media messages share. A macro, because their builders share no trait.
macro_rules! send {
    ($carrier:expr, $sms:expr, $call:expr) => {
        $call
            .origination_identity($sms.from.as_str())
            .destination_phone_number($sms.to.as_str())
            .set_message_body($sms.text.clone())
            .configuration_set_name(&$carrier.settings.configuration_set)
            .set_max_price($carrier.settings.max_price.clone())
            .context(ORGANIZATION, $sms.organization.to_string())
            .context(MESSAGE, $sms.message.to_string())
            .send()
            .await
            .map_err(|error| CarrierError::of(&error))?
            .message_id
    };
}

#[async_trait]
impl Carrier for AwsCarrier {
    async fn send(&self, sms: &Sms) -> Result<String, CarrierError> {
        let id = match &sms.media_url {
            Some(url) => send!(self, sms, self.client.send_media_message().media_urls(url)),
            None => send!(self, sms, self.client.send_text_message().message_type(MessageType::Transactional)),
        };
        id.filter(|id| !id.is_empty()).ok_or(CarrierError::Unknown("responded without a message id".to_owned()))
    }
}
