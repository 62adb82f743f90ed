//! A table, a bucket, queues and secrets for one test, in an AWS account of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws::{Connection, client_config};
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType,
};
use aws_smithy_types::timeout::TimeoutConfig;
use domain::port::{Clock as _, SystemClock};
use store::Store;

use crate::faults::Faults;
use crate::privileges::TEST;
use crate::settings::{PLATFORM_SECRET, TABLE, endpoint};
use crate::standin::{APP_SECRET, VERIFY_TOKEN, app_document};

/// How long a call may take. The emulator is slow while it works for many tests.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the id of an unused account. The emulator keeps a separate account for each 12-digit access key.
fn fresh_account() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let unique = u64::try_from(SystemClock.now().millis()).unwrap() * 1000 + u64::from(std::process::id() % 1000);
    format!("{:012}", (unique * 37 + NEXT.fetch_add(1, Ordering::SeqCst)) % 1_000_000_000_000)
}

#[derive(Clone)]
pub struct Account {
    /// The test's own connection; its calls also pass through `faults`.
    pub connection: Connection,
    sound: Connection,
    faults: Faults,
    /// The bucket's name, which is unique across accounts.
    pub bucket: String,
    pub dynamodb: aws_sdk_dynamodb::Client,
    pub s3: aws_sdk_s3::Client,
    pub sqs: aws_sdk_sqs::Client,
    pub secrets: aws_sdk_secretsmanager::Client,
    /// The worker's queue and its dead-letter queue.
    pub queue: String,
    pub dead_letters: String,
    /// The queue of messages to send, and its dead-letter queue.
    pub sends: String,
    pub send_dead_letters: String,
    /// The queue of what the carrier reports, and its dead-letter queue.
    pub carrier: String,
    pub carrier_dead_letters: String,
    /// The delivery queue, its dead-letter queue, and the queue for slow receivers.
    pub deliveries: String,
    pub delivery_dead_letters: String,
    pub patient_deliveries: String,
    /// The sweep's queue and its dead-letter queue.
    pub sweeps: String,
    pub sweep_dead_letters: String,
    /// Where Lambda puts positions of stream records that the dispatch function could not be run with.
    pub dispatch_dead_letters: String,
    due_partitions: Arc<Mutex<BTreeSet<String>>>,
}

impl Account {
    /// Creates the resources. The service's connections pass through `faults`; the test's own clients, which inspect the stored
    /// data, do not.
    pub async fn open(faults: &Faults) -> Account {
        let account = fresh_account();
        let bucket = format!("media-{account}");
        let credentials = Credentials::new(account, "test", None, None, "test");
        let mut sound = Connection::new("us-east-1".to_owned(), credentials, Some(endpoint())).unwrap();
        // On a busy machine, a second attempt would change what the tests count.
        sound.timeouts = TimeoutConfig::builder().operation_attempt_timeout(PATIENCE).build();
        let s3 = aws_sdk_s3::Client::from_conf(client_config!(aws_sdk_s3, &sound).force_path_style(true).build());
        let sqs = aws_sdk_sqs::Client::from_conf(client_config!(aws_sdk_sqs, &sound).build());
        let secrets = aws_sdk_secretsmanager::Client::from_conf(client_config!(aws_sdk_secretsmanager, &sound).build());
        let dynamodb = sound.dynamodb();
        create_table(&dynamodb).await;
        s3.create_bucket().bucket(&bucket).send().await.unwrap();
        let (queue, dead_letters) = create_queues(&sqs, "JobQueue").await;
        let (sends, send_dead_letters) = create_queues(&sqs, "SendQueue").await;
        let (carrier, carrier_dead_letters) = create_queues(&sqs, "CarrierQueue").await;
        let (deliveries, delivery_dead_letters) = create_queues(&sqs, "DeliveryQueue").await;
        let (patient_deliveries, _) = create_queues(&sqs, "PatientDeliveryQueue").await;
        let (sweeps, sweep_dead_letters) = create_queues(&sqs, "SweepQueue").await;
        let dispatch_dead_letters = sqs.create_queue().queue_name("DispatchDeadLetters").send().await.unwrap();
        create_platform_secret(&secrets).await;
        Account {
            connection: Connection { http_client: faults.client(TEST, sound.http_client.clone()), ..sound.clone() },
            sound,
            faults: faults.clone(),
            bucket,
            dynamodb,
            s3,
            sqs,
            secrets,
            queue,
            dead_letters,
            sends,
            send_dead_letters,
            carrier,
            carrier_dead_letters,
            deliveries,
            delivery_dead_letters,
            patient_deliveries,
            sweeps,
            sweep_dead_letters,
            dispatch_dead_letters: dispatch_dead_letters.queue_url.unwrap(),
            due_partitions: Arc::default(),
        }
    }

    /// The dead-letter queues of the installation.
    pub fn all_dead_letters(&self) -> [&str; 6] {
        [
            &self.dead_letters,
            &self.send_dead_letters,
            &self.carrier_dead_letters,
            &self.delivery_dead_letters,
            &self.sweep_dead_letters,
            &self.dispatch_dead_letters,
        ]
    }

    pub fn connection_of(&self, function: &'static str) -> Connection {
        let http_client = self.faults.client(function, self.sound.http_client.clone());
        Connection { http_client, ..self.sound.clone() }
    }

    /// The id of the account.
    pub fn id(&self) -> &str {
        self.sound.credentials.access_key_id()
    }

    /// The ARN of a queue of the account, whether or not it exists.
    pub fn queue_arn(&self, name: &str) -> String {
        let (region, account) = (&self.sound.region, self.id());
        format!("arn:aws:sqs:{region}:{account}:{name}")
    }

    /// The test's own store, for reading as the functions do.
    pub fn store(&self) -> Store {
        Store::new(self.connection.dynamodb(), TABLE)
    }

    /// All items of the table, in a stable order, except the last uses of keys: any request may write one, beside what it does.
    pub async fn items(&self) -> Vec<BTreeMap<String, String>> {
        let mut items = self.items_of_every_class().await;
        items.retain(|item| !item["PK"].starts_with("USED#"));
        items
    }

    /// All items of the table, in a stable order.
    pub async fn items_of_every_class(&self) -> Vec<BTreeMap<String, String>> {
        let mut items: Vec<_> = self.stored_items().await.into_iter().map(readable).collect();
        items.sort();
        items
    }

    pub async fn stored_items(&self) -> Vec<HashMap<String, AttributeValue>> {
        let mut items = Vec::new();
        let mut start: Option<HashMap<String, AttributeValue>> = None;
        loop {
            let call = self.dynamodb.scan().table_name(TABLE).consistent_read(true).set_exclusive_start_key(start);
            let page = call.send().await.unwrap();
            items.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                return items;
            }
        }
    }

    /// The partitions of the due index that have, or had when this was called before, an item. An eventually consistent read
    /// may still find it.
    pub async fn due_partitions(&self) -> BTreeSet<String> {
        let items = self.stored_items().await;
        let found = items.iter().filter_map(|item| item.get("duePartition")?.as_s().ok()).cloned();
        let mut seen = self.due_partitions.lock().unwrap();
        seen.extend(found);
        seen.clone()
    }

    pub async fn store_item(&self, item: HashMap<String, AttributeValue>) {
        self.dynamodb.put_item().table_name(TABLE).set_item(Some(item)).send().await.unwrap();
    }

    pub async fn remove_item(&self, item: &HashMap<String, AttributeValue>) {
        let key = ["PK", "SK"].map(|name| (name.to_owned(), item[name].clone()));
        self.dynamodb.delete_item().table_name(TABLE).set_key(Some(key.into())).send().await.unwrap();
    }

    /// Sets a counter of the item with this key, as if that many objects existed.
    pub async fn set_counter(&self, key: (String, String), counter: &str, value: usize) {
        let call = self.dynamodb.update_item().table_name(TABLE);
        let call = call.key("PK", AttributeValue::S(key.0)).key("SK", AttributeValue::S(key.1));
        let call = call.update_expression("SET #counter = :value").expression_attribute_names("#counter", counter);
        call.expression_attribute_values(":value", AttributeValue::N(value.to_string())).send().await.unwrap();
    }

    /// The keys of all objects in the bucket.
    pub async fn objects(&self) -> Vec<String> {
        let listed = self.s3.list_objects_v2().bucket(&self.bucket).send().await.unwrap();
        listed.contents().iter().filter_map(|object| object.key().map(str::to_owned)).collect()
    }
}

/// Sorts the members of sets, which have no order.
fn readable(item: HashMap<String, AttributeValue>) -> BTreeMap<String, String> {
    item.into_iter().map(|(name, value)| (name, readable_value(value))).collect()
}

/// The same for equal values: maps are sorted.
fn readable_value(value: AttributeValue) -> String {
    match value {
        AttributeValue::Ss(mut members) => {
            members.sort();
            format!("{members:?}")
        }
        AttributeValue::S(text) => text,
        AttributeValue::N(number) => number,
        AttributeValue::M(map) => format!("{:?}", readable(map)),
        AttributeValue::L(values) => format!("{:?}", values.into_iter().map(readable_value).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}

async fn create_queues(sqs: &aws_sdk_sqs::Client, name: &str) -> (String, String) {
    use aws_sdk_sqs::types::QueueAttributeName::{QueueArn, RedrivePolicy, VisibilityTimeout};
    let dead =
        sqs.create_queue().queue_name(name.replace("Queue", "DeadLetters")).send().await.unwrap().queue_url.unwrap();
    let arn = sqs.get_queue_attributes().queue_url(&dead).attribute_names(QueueArn).send().await.unwrap();
    let arn = arn.attributes.unwrap()[&QueueArn].clone();
    let redrive = serde_json::json!({"deadLetterTargetArn": arn, "maxReceiveCount": 5}).to_string();
    let queue =
        sqs.create_queue().queue_name(name).attributes(RedrivePolicy, redrive).attributes(VisibilityTimeout, "300");
    (queue.send().await.unwrap().queue_url.unwrap(), dead)
}

async fn create_platform_secret(secrets: &aws_sdk_secretsmanager::Client) {
    let document = app_document(&[("appSecret", APP_SECRET), ("verifyToken", VERIFY_TOKEN)]);
    secrets.create_secret().name(PLATFORM_SECRET).secret_string(document).send().await.unwrap();
}

async fn create_table(client: &aws_sdk_dynamodb::Client) {
    let attribute = |name: &str, kind: ScalarAttributeType| {
        AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().unwrap()
    };
    let key =
        |name: &str, kind: KeyType| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
    let due = GlobalSecondaryIndex::builder()
        .index_name("due")
        .key_schema(key("duePartition", KeyType::Hash))
        .key_schema(key("dueAt", KeyType::Range))
        .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
        .build()
        .unwrap();
    client
        .create_table()
        .table_name(TABLE)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(attribute("PK", ScalarAttributeType::S))
        .attribute_definitions(attribute("SK", ScalarAttributeType::S))
        .attribute_definitions(attribute("duePartition", ScalarAttributeType::S))
        .attribute_definitions(attribute("dueAt", ScalarAttributeType::N))
        .key_schema(key("PK", KeyType::Hash))
        .key_schema(key("SK", KeyType::Range))
        .global_secondary_indexes(due)
        .send()
        .await
        .unwrap();
}
