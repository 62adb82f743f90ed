//! What the platform sends, form by form: tables of payloads with the message of the API that each becomes, all of its fields,
//! and its events. They take the route of real notifications. The forms are those of the platform's documentation; the odd ones
//! were seen in its samples, in the test data of client libraries, or differ from a documented one in a type.

mod accounts;
mod harness;
mod messages;
mod odd;
mod people;
mod property;
mod revisions;
mod speed;
mod statuses;
