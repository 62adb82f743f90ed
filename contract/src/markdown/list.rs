//! llms.txt: the list of all pages, for programs that know only the address of an installation.

use std::fmt::Write as _;

use serde_json::Value;

use super::Group;

const BEGINNING: &str = "\
# Messaging API

> Send and receive WhatsApp, SMS and MMS messages over HTTP, from your own installation on AWS. In this API, *chat* means WhatsApp.

The base URL is ADDRESS. Send `Authorization: Bearer <key>` with each request. Keys that begin with `sk_test_` only simulate: nothing reaches anybody, and nothing costs anything. Requests and responses are JSON with camelCase names. Most POST requests take an `Idempotency-Key`: for 24 hours, a repeated request with the same key does not act twice.

## Reference

- [Introduction](ADDRESS/api_reference.md): quick start, credentials, lists, errors, retries, receiving events, and all operations
";
const END: &str = "\
- [Error codes](ADDRESS/api_reference/error-codes.md): each code, what to do, and what produces it in test mode

## Optional

- [OpenAPI document](ADDRESS/v1/openapi.json): everything in these pages for generators and validators, about 1 MB
- [Error codes as JSON](ADDRESS/v1/errors)
";

pub(super) fn page(document: &Value, groups: &[Group<'_>]) -> String {
    let mut text = BEGINNING.to_owned();
    for group in groups {
        let description = group.description.split(". ").next().unwrap_or_default().trim_end_matches('.');
        let _ = writeln!(text, "- [{}](ADDRESS/api_reference/{}.md): {description}", group.name, group.page());
    }
    (text + END).replace("ADDRESS", document["servers"][0]["url"].as_str().unwrap_or_default())
}
