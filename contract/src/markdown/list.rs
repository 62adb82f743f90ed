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

## Tasks

- [Send a WhatsApp message](ADDRESS/api_reference/messages.md#send-a-whatsapp-message): what each response means, and how to retry
- [Receive events with a webhook](ADDRESS/api_reference.md#receive-events), with code that verifies them
- [Receive events without a public address](ADDRESS/api_reference/events.md#list-the-apps-events)
- [Recover deliveries after an outage](ADDRESS/api_reference/webhooks.md#recover-failed-deliveries-to-a-webhook-of-the-app)
- [Send a large file](ADDRESS/api_reference/media.md#create-a-direct-upload)
- [Create a template](ADDRESS/api_reference/templates.md#create-a-whatsapp-template)
- [Find messages that reached nobody](ADDRESS/api_reference/messages.md#list-failures)
- [Count messages and failures](ADDRESS/api_reference/usage.md#get-usage)
- [Let a simulated user answer](ADDRESS/api_reference/test-mode.md#simulate-an-inbound-whatsapp-message)
- [Rotate a key](ADDRESS/api_reference/apps-and-keys.md#rotate-an-app-key)

## Optional

- [OpenAPI document](ADDRESS/v1/openapi.json): everything in these pages for generators and validators, about 1 MB
- [Error codes as JSON](ADDRESS/v1/errors)
";

/// Returns the text. Each group comes with the bytes of its page.
pub(super) fn page<'a>(document: &Value, groups: impl Iterator<Item = (&'a Group<'a>, usize)>) -> String {
    let mut text = BEGINNING.to_owned();
    for (group, bytes) in groups {
        let description = group.description.split(". ").next().unwrap_or_default().trim_end_matches('.');
        let page = group.page();
        let _ = writeln!(
            text,
            "- [{}](ADDRESS/api_reference/{page}.md): {description} ({} KB)",
            group.name,
            bytes.div_ceil(1000)
        );
    }
    (text + END).replace("ADDRESS", document["servers"][0]["url"].as_str().unwrap_or_default())
}
