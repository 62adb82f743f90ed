//! The IAM privileges that an AWS call needs: pairs of action and resource, in the form of the template's policies. Resources
//! are distinguished by key class in the table, and by prefix for objects and secrets.

use std::collections::BTreeSet;

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use serde_json::Value;
use store::keys::ParsedKey;
use url::Url;

use crate::settings::{LISTED_QUEUES, PLATFORM_SECRET, PROFILE_SECRETS};

/// Without this privilege, S3 responds with 403 instead of 404 for an object that does not exist.
pub const TO_MISS_AN_OBJECT: &str = "s3:ListBucket Bucket";

/// Whether a request is a call of the bucket: only requests to S3 have no `x-amz-target` header.
pub fn is_of_bucket(request: &HttpRequest) -> bool {
    request.headers().get("x-amz-target").is_none()
}

/// Returns privileges as `action resource`. An unknown call is reported as `unknown`, which no policy allows.
pub fn of(request: &HttpRequest) -> BTreeSet<String> {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    let (service, operation) = target.split_once('.').unwrap_or_default();
    let body = || serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
    match service {
        "DynamoDB_20120810" => of_table(operation, &body()),
        "AmazonSQS" => BTreeSet::from([of_queue(operation, &body())]),
        "secretsmanager" => BTreeSet::from([of_secret(operation, &body())]),
        "PinpointSMSVoiceV2" => of_carrier(operation),
        "" => {
            let copied = request.headers().get("x-amz-copy-source");
            of_bucket(&Url::parse(request.uri()).unwrap(), copied)
        }
        _ => BTreeSet::from([format!("{target} unknown")]),
    }
}

fn of_table(operation: &str, call: &Value) -> BTreeSet<String> {
    let of_key = |action: &str, key: &Value| format!("dynamodb:{action} TableInUse/{}", class(&key["PK"]));
    match operation {
        "UpdateItem" if is_of_unknown_class(&call["Key"]) => BTreeSet::from([of_attributes(call)]),
        "GetItem" | "UpdateItem" | "DeleteItem" => BTreeSet::from([of_key(operation, &call["Key"])]),
        "PutItem" => BTreeSet::from([of_key(operation, &call["Item"])]),
        "BatchGetItem" => {
            let tables = call["RequestItems"].as_object().into_iter().flatten();
            let keys = tables.flat_map(|(_, table)| table["Keys"].as_array().unwrap());
            keys.map(|key| of_key(operation, key)).collect()
        }
        "Query" => BTreeSet::from([of_query(call)]),
        "TransactWriteItems" => {
            let parts = call["TransactItems"].as_array().unwrap().iter();
            let parts = parts.flat_map(|part| part.as_object().unwrap());
            parts
                .map(|(kind, part)| match kind.as_str() {
                    "Put" => of_key("PutItem", &part["Item"]),
                    "Update" => of_key("UpdateItem", &part["Key"]),
                    "Delete" => of_key("DeleteItem", &part["Key"]),
                    "ConditionCheck" => of_key("ConditionCheckItem", &part["Key"]),
                    _ => format!("dynamodb:{kind} unknown"),
                })
                .collect()
        }
        _ => BTreeSet::from([format!("dynamodb:{operation} unknown")]),
    }
}

fn is_of_unknown_class(key: &Value) -> bool {
    key["PK"]["S"].as_str().is_some_and(|partition| ParsedKey::parse(partition).is_none())
}

/// The privilege for an update that a policy allows by the names of its attributes, whatever the item is. Such a policy
/// does not allow the update to return values.
fn of_attributes(call: &Value) -> String {
    let named = call["ExpressionAttributeNames"].as_object().into_iter().flatten();
    let keys = call["Key"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let mut attributes: Vec<&str> = keys.chain(named.filter_map(|(_, name)| name.as_str())).collect();
    attributes.sort_unstable();
    let returned = ["ReturnValues", "ReturnValuesOnConditionCheckFailure"];
    let returned = if returned.iter().all(|name| call[name].is_null()) { "" } else { " with its values" };
    format!("dynamodb:UpdateItem TableInUse({}){returned}", attributes.join(", "))
}

/// The resource of a call of the table. Partitions of an index have no class.
fn of_query(call: &Value) -> String {
    if let Some(index) = call["IndexName"].as_str() {
        return format!("dynamodb:Query TableInUse/index/{index}");
    }
    let condition = call["KeyConditionExpression"].as_str().unwrap();
    let partition = condition.strip_prefix("#pk = ").and_then(|rest| rest.split(' ').next()).unwrap();
    format!("dynamodb:Query TableInUse/{}", class(&call["ExpressionAttributeValues"][partition]))
}

fn class(partition: &Value) -> String {
    let partition = partition["S"].as_str().unwrap();
    partition.split_once('#').map_or_else(|| partition.to_owned(), |(class, _)| format!("{class}#*"))
}

fn of_queue(operation: &str, call: &Value) -> String {
    let queue = call["QueueUrl"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let queue = if LISTED_QUEUES.contains(&queue) { "EventDestinations" } else { queue };
    format!("sqs:{} {queue}", operation.trim_end_matches("Batch"))
}

fn of_secret(operation: &str, call: &Value) -> String {
    let name = call["SecretId"].as_str().or(call["Name"].as_str()).unwrap_or_default();
    let secret = match name {
        PLATFORM_SECRET => "PlatformSecret".to_owned(),
        name if name.starts_with(PROFILE_SECRETS) => format!("{PROFILE_SECRETS}*"),
        name => name.to_owned(),
    };
    format!("secretsmanager:{operation} {secret}")
}

/// The privileges of a call of the carrier. Updating a number also needs the opt-out list that it gets.
fn of_carrier(operation: &str) -> BTreeSet<String> {
    let resources: &[&str] = match operation {
        "DescribePhoneNumbers" | "CreateOptOutList" => &["*"],
        "UpdatePhoneNumber" => &["phone-number/*", "opt-out-list/*"],
        _ => &["unknown"],
    };
    resources.iter().map(|resource| format!("sms-voice:{operation} {resource}")).collect()
}

/// The privileges that a call of the bucket, or the use of a presigned URL, needs.
pub fn of_bucket(address: &Url, copied: Option<&str>) -> BTreeSet<String> {
    let operation = address.query_pairs().find(|(name, _)| name == "x-id").map(|(_, operation)| operation);
    let object = prefix(address.path().trim_start_matches('/'));
    match (operation.as_deref(), copied) {
        (Some(action @ ("GetObject" | "PutObject" | "DeleteObject")), None) => {
            BTreeSet::from([format!("s3:{action} {object}")])
        }
        (Some("CopyObject"), Some(source)) => {
            BTreeSet::from([format!("s3:GetObject {}", prefix(source)), format!("s3:PutObject {object}")])
        }
        (None, None) if address.query_pairs().any(|(name, _)| name == "list-type") => {
            BTreeSet::from([TO_MISS_AN_OBJECT.to_owned()])
        }
        (operation, _) => BTreeSet::from([format!("s3:{} unknown", operation.unwrap_or("?"))]),
    }
}

/// The resource of an object, given as bucket and key.
fn prefix(path: &str) -> String {
    let key = path.split_once('/').map_or("", |(_, key)| key);
    format!("Bucket/{}/*", key.split('/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(needs: &[&str]) -> BTreeSet<String> {
        needs.iter().map(|need| (*need).to_owned()).collect()
    }

    #[test]
    fn a_transaction_needs_what_its_parts_need() {
        let key = |partition: &str| json!({"Key": {"PK": {"S": partition}}});
        let parts = json!([
            {"Put": {"Item": {"PK": {"S": "ORG#1"}}}}, {"Update": key("APP#1#live")}, {"Delete": key("CRED#1")},
            {"ConditionCheck": key("ORG#1")}, {"Get": key("ORG#1")},
        ]);
        let needed = [
            "dynamodb:PutItem TableInUse/ORG#*",
            "dynamodb:UpdateItem TableInUse/APP#*",
            "dynamodb:DeleteItem TableInUse/CRED#*",
            "dynamodb:ConditionCheckItem TableInUse/ORG#*",
            "dynamodb:Get unknown",
        ];
        assert_eq!(of_table("TransactWriteItems", &json!({"TransactItems": parts})), set(&needed));
        assert_eq!(of_table("Scan", &json!({})), set(&["dynamodb:Scan unknown"]));
    }

    #[test]
    fn a_copy_reads_its_source() {
        let address = Url::parse("http://localhost/b/media/org_1/2?x-id=CopyObject").unwrap();
        let needed = ["s3:GetObject Bucket/incoming/*", "s3:PutObject Bucket/media/*"];
        assert_eq!(of_bucket(&address, Some("b/incoming/org_1/2")), set(&needed));
        let listing = Url::parse("http://localhost/b/?list-type=2").unwrap();
        assert_eq!(of_bucket(&listing, None), set(&[TO_MISS_AN_OBJECT]));
    }
}
