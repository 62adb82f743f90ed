//! A function that makes one SDK call and responds. `BARE_CALL` is `get` or `get2` (two concurrent reads) for the item
//! whose keys are `BARE_PK` and `BARE_SK`, `query` for the partition `BARE_PK`, `put` for an item of the partition
//! `BENCH`, `transact`, which puts `BARE_ITEMS` items, `batch`, which reads them, or `enqueue`, which sends a message to
//! the queue.

use std::collections::HashMap;

use aws::client_config;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Put, TransactWriteItem};
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use lambda_http::{Body, Error, Request, Response, run, service_fn};
use runtime::Environment;

#[derive(Clone)]
struct Bare {
    client: Client,
    table: String,
    sqs: aws_sdk_sqs::Client,
    queue_url: String,
    call: String,
    partition: AttributeValue,
    sort: AttributeValue,
    items: usize,
}

impl Bare {
    fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let mut required = |name| environment.required(name);
        let bare = Bare {
            client: connection.dynamodb(),
            table: required("TABLE_NAME"),
            sqs: aws_sdk_sqs::Client::from_conf(client_config!(aws_sdk_sqs, &connection).build()),
            queue_url: required("QUEUE_URL"),
            call: required("BARE_CALL"),
            partition: AttributeValue::S(required("BARE_PK")),
            sort: AttributeValue::S(required("BARE_SK")),
            items: required("BARE_ITEMS").parse().map_err(|_| "BARE_ITEMS is a number")?,
        };
        environment.finish()?;
        Ok(bare)
    }

    async fn get(&self) -> Result<(), Error> {
        let call = self.client.get_item().table_name(&self.table).consistent_read(true);
        call.key("PK", self.partition.clone()).key("SK", self.sort.clone()).send().await?;
        Ok(())
    }

    async fn batch(&self) -> Result<(), Error> {
        let key = |partition| HashMap::from([("PK".to_owned(), partition), ("SK".to_owned(), self.sort.clone())]);
        let keys = self.partitions().map(key).collect();
        let keys = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build()?;
        self.client.batch_get_item().request_items(&self.table, keys).send().await?;
        Ok(())
    }

    async fn transact(&self) -> Result<(), Error> {
        let put = |partition| {
            let put = Put::builder().table_name(&self.table).item("PK", partition);
            let put = put.item("SK", self.sort.clone()).item("name", AttributeValue::S("x".repeat(200)));
            let put = put.condition_expression("attribute_exists(PK) OR attribute_not_exists(PK)").build();
            put.map(|put| TransactWriteItem::builder().put(put).build())
        };
        let items = self.partitions().map(put).collect::<Result<_, _>>()?;
        self.client.transact_write_items().set_transact_items(Some(items)).send().await?;
        Ok(())
    }

    fn partitions(&self) -> impl Iterator<Item = AttributeValue> {
        (0..self.items).map(|n| AttributeValue::S(format!("BENCH{n}")))
    }

    async fn put(&self) -> Result<(), Error> {
        let call = self.client.put_item().table_name(&self.table).item("PK", AttributeValue::S("BENCH".to_owned()));
        let call = call.item("SK", self.sort.clone()).item("name", AttributeValue::S("x".repeat(200)));
        call.condition_expression("attribute_exists(PK) OR attribute_not_exists(PK)").send().await?;
        Ok(())
    }

    async fn enqueue(&self) -> Result<(), Error> {
        let entry = SendMessageBatchRequestEntry::builder().id("0").message_body("x".repeat(200)).build()?;
        self.sqs.send_message_batch().queue_url(&self.queue_url).entries(entry).send().await?;
        Ok(())
    }

    async fn query(&self) -> Result<(), Error> {
        let call = self.client.query().table_name(&self.table).consistent_read(true).limit(26);
        let call = call.key_condition_expression("PK = :pk").expression_attribute_values(":pk", self.partition.clone());
        call.send().await?;
        Ok(())
    }

    async fn answer(&self) -> Result<Response<Body>, Error> {
        match self.call.as_str() {
            "batch" => self.batch().await?,
            "put" => self.put().await?,
            "transact" => self.transact().await?,
            "query" => self.query().await?,
            "enqueue" => self.enqueue().await?,
            "get2" => tokio::try_join!(self.get(), self.get()).map(|_| ())?,
            _ => self.get().await?,
        }
        Ok(Response::new(Body::from("{}")))
    }
}

fn main() -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let bare = Bare::from_environment(&mut Environment::default())?;
        // Open the connection during initialization, as the functions do.
        let _ = bare.get().await;
        run(service_fn(move |_: Request| {
            let bare = bare.clone();
            async move { bare.answer().await }
        }))
        .await
    })
}
