//! The numbers of the installation's account at the carrier, and the forwarding of the messages that they receive.
//! Nothing here can buy or release a number.

use std::sync::Arc;
use std::time::Duration;

use aws::client_config;
use aws::connection::{Connection, OnDemand, on_demand};
use aws::failure::{THROTTLED, aws_code, aws_failure};
use aws_sdk_pinpointsmsvoicev2::Client;
use aws_sdk_pinpointsmsvoicev2::types::{NumberCapability, NumberStatus, PhoneNumberInformation};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_smithy_types::retry::RetryConfig;
use domain::number::country::Country;
use domain::sms::carrier_link::Capability;
use domain::{E164, Failure};
use tokio::time::sleep;

use crate::settings::connection_to_carrier;

/// How long a call may take, with its retries: the limit that all clients have.
pub const CALL_LIMIT: Duration = Duration::from_secs(20);
/// The carrier accepts one call of each operation per second.
const CALL_PAUSE: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 4;
const PAGE: i32 = 100;
/// The opt-out list of a number that was given no other one.
const DEFAULT_OPT_OUT_LIST: &str = "Default";

/// A number of the account, as the carrier describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarrierNumber {
    pub id: String,
    pub status: String,
    pub is_active: bool,
    pub country: Country,
    pub capabilities: Vec<Capability>,
    /// The pool that the number is in. The carrier changes such a number only through its pool.
    pub pool: Option<String>,
    /// The topic to which the carrier publishes the messages to the number.
    pub channel: Option<String>,
    pub opt_out_list: String,
}

/// The account's numbers at the carrier.
#[derive(Clone)]
pub struct CarrierNumbers {
    client: OnDemand<Client>,
    /// The topic to which linked numbers publish received messages.
    topic: Arc<str>,
}

impl CarrierNumbers {
    /// Returns access to the numbers over a connection to the carrier.
    pub fn new(connection: Connection, topic: &str) -> Self {
        let client = on_demand(move || {
            // Each call has the same effect if it is repeated.
            let retries = RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(CALL_PAUSE);
            Client::from_conf(client_config!(aws_sdk_pinpointsmsvoicev2, &connection).retry_config(retries).build())
        });
        CarrierNumbers { client, topic: topic.into() }
    }

    /// Returns access to the numbers as environment variables describe it; `None` without a carrier.
    pub fn from_environment(
        connection: &Connection,
        optional: impl Fn(&'static str) -> Option<String>,
    ) -> Option<Self> {
        let connection = connection_to_carrier(connection, &optional)?;
        Some(Self::new(connection, &optional("CARRIER_INBOUND_TOPIC_ARN")?))
    }

    /// Returns whether this is the topic to which linked numbers publish received messages.
    pub fn is_own_topic(&self, channel: &str) -> bool {
        *self.topic == *channel
    }

    /// Finds a number of the account by its digits. The carrier finds numbers by its own ids only, so all are read, a
    /// hundred at a time.
    pub async fn find(&self, number: &E164) -> Result<Option<CarrierNumber>, Failure> {
        let mut next = None;
        loop {
            let call = self.client.describe_phone_numbers().max_results(PAGE).set_next_token(next);
            let page = call.send().await.map_err(|error| failure("DescribePhoneNumbers", &error))?;
            if let Some(found) = page.phone_numbers().iter().find(|found| found.phone_number == number.as_str()) {
                return described(found).map(Some);
            }
            next = page.next_token;
            if next.is_none() {
                return Ok(None);
            }
            sleep(CALL_PAUSE).await;
        }
    }

    /// Returns a number of the account by the carrier's id; `None` if the account no longer has it.
    async fn get(&self, id: &str) -> Result<Option<CarrierNumber>, Failure> {
        match self.client.describe_phone_numbers().phone_number_ids(id).send().await {
            Ok(page) => page.phone_numbers().first().map(described).transpose(),
            Err(error) if aws_code(&error) == Some("ResourceNotFoundException") => Ok(None),
            Err(error) => Err(failure("DescribePhoneNumbers", &error)),
        }
    }

    /// Creates an opt-out list, unless there is one of this name.
    pub async fn create_opt_out_list(&self, name: &str) -> Result<(), Failure> {
        match self.client.create_opt_out_list().opt_out_list_name(name).send().await {
            Ok(_) => Ok(()),
            Err(error) if aws_code(&error) == Some("ConflictException") => Ok(()),
            Err(error) => Err(failure("CreateOptOutList", &error)),
        }
    }

    /// Makes a number publish received messages to the topic of this installation, and record opt-outs in this list.
    pub async fn connect(&self, id: &str, opt_out_list: &str) -> Result<(), Failure> {
        let call = self
            .client
            .update_phone_number()
            .phone_number_id(id)
            .two_way_enabled(true)
            .two_way_channel_arn(&*self.topic)
            .self_managed_opt_outs_enabled(false)
            .opt_out_list_name(opt_out_list);
        call.send().await.map(|_| ()).map_err(|error| failure("UpdatePhoneNumber", &error))
    }

    /// Returns whether a number is connected to this installation, or has this list. `false` if the account no longer
    /// has the number, or if it has been given another topic and another list.
    pub async fn is_connected(&self, id: &str, opt_out_list: &str) -> Result<bool, Failure> {
        let is_ours = |found: CarrierNumber| {
            found.opt_out_list == opt_out_list || found.channel.is_some_and(|channel| self.is_own_topic(&channel))
        };
        Ok(self.get(id).await?.is_some_and(is_ours))
    }

    /// Undoes [`CarrierNumbers::connect`]. Does nothing if the account no longer has the number.
    pub async fn disconnect(&self, id: &str) -> Result<(), Failure> {
        let call = self
            .client
            .update_phone_number()
            .phone_number_id(id)
            .two_way_enabled(false)
            .opt_out_list_name(DEFAULT_OPT_OUT_LIST);
        match call.send().await {
            Ok(_) => Ok(()),
            Err(error) if aws_code(&error) == Some("ResourceNotFoundException") => Ok(()),
            Err(error) => Err(failure("UpdatePhoneNumber", &error)),
        }
    }
}

fn described(found: &PhoneNumberInformation) -> Result<CarrierNumber, Failure> {
    let id =
        found.phone_number_id.clone().ok_or_else(|| Failure::internal("the carrier described a number without id"))?;
    let country = found.iso_country_code.parse();
    let capabilities = found.number_capabilities.iter().filter_map(|capability| match capability {
        NumberCapability::Sms => Some(Capability::Sms),
        NumberCapability::Mms => Some(Capability::Mms),
        NumberCapability::Voice => Some(Capability::Voice),
        _ => None,
    });
    Ok(CarrierNumber {
        id,
        status: found.status.as_str().to_owned(),
        is_active: found.status == NumberStatus::Active,
        country: country.map_err(Failure::internal)?,
        capabilities: capabilities.collect(),
        pool: found.pool_id.clone(),
        channel: found.two_way_channel_arn.clone().filter(|_| found.two_way_enabled),
        opt_out_list: found.opt_out_list_name.clone(),
    })
}

/// Converts an error of the SDK. A refusal names the carrier's reason, which is for the operator: no API response contains
/// it.
fn failure<E: ProvideErrorMetadata>(operation: &str, error: &SdkError<E, HttpResponse>) -> Failure {
    match (error, aws_code(error)) {
        (SdkError::ServiceError(context), Some(code))
            if context.raw().status().as_u16() < 500 && !THROTTLED.contains(&code) =>
        {
            let reason = context.err().message().unwrap_or("no reason given");
            Failure::unprocessable(format!("The carrier refused {operation} with {code}: {reason}"))
        }
        _ => aws_failure("the carrier", error),
    }
}
