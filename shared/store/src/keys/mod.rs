//! All keys of the table. A partition key begins with its class, followed by the organization (except for credentials
//! and keys that are unique across the installation), so that a function's policy can list the classes that it may
//! access (`dynamodb:LeadingKeys`). Nothing outside this module builds or parses keys.
//!
//! The last column names the operations of docs/specification.md that need the access pattern. In the keys, `o` is the
//! id of the organization, `a` of the app, `p` of the business profile, `n` of the number, `w` of the webhook, and `m`,
//! `g` and `e` of the message or medium, group and event.
//!
//! Constructors: `account.rs`, `chat.rs`, `event.rs`, `message.rs`. Class names: `class.rs`.
//!
//! | class | partition key | sort key | access patterns |
//! |---|---|---|---|
//! | credential: key or session token | `CRED#<sha256>` | `CRED` | every request |
//! | organization; its counters | `ORG#o` | `ORG`; `COUNT` | organization settings, limits |
//! | organization slug | `ORGSLUG#<slug>` | `ORGSLUG` | unique across the installation |
//! | operator's request | `ORGREQ#<request id>` | `ORGREQ` | a repeated request creates no second organization |
//! | admin key | `AKEY#o#<mode>` | `<ksuid>` | list, delete |
//! | session | `SESS#o` | `<ksuid>` | the operator's list and revocation |
//! | member, with its sessions | `MEMBER#o` | `<ksuid>` | list, get, sign-in, session keys |
//! | claim on the address of a member | `MEMADDR#<hash of the address>` | `o` | unique in the organization; memberships of an address |
//! | membership of a person | `PERSON#<hash of issuer and subject>` | `o` | who signs in with the identity provider |
//! | token of a sign-in link | `SIGNTOKEN#<hash>` | `SIGNTOKEN` | signing in |
//! | app | `APP#o#<mode>` | `<ksuid>` | list, get, calling configuration, playground SMS system numbers |
//! | app slug | `APPSLUG#o` | `<slug>` | unique in the organization |
//! | app key | `APPKEY#o#a` | `<ksuid>` | list, deletion of key and app |
//! | last use of an admin key; of an app key | `USED#o` | `ADMIN#<ksuid>`; `a#<ksuid>` | once per hour, environment and key; lists of keys |
//! | refusals of a credential in an hour | `USED#o` | `DENIED#<id of the key>#<hour>` | bound on denied requests in the audit log |
//! | entry of the audit log | `AUDIT#o#<mode>` | `<ksuid>` | written with each change; list |
//! | bucket of a rate limit | `BUCKET#o` | `<id of the key or app>`; `ORG` | requests of limited keys: once per lease |
//! | rate limits of organizations | `LIMITS#ALL` | `LIMITS` | once per minute and environment; the operator's setLimit |
//! | webhook | `HOOK#o#a` | `<ksuid>` | create, update, delete, list |
//! | webhook secret and header values | `SEC#o#a` | `<webhook ksuid>` | create and update webhook, list webhooks, delivery |
//! | queue that the organization's webhooks may use | `DEST#o` | `<ARN>` | create and update webhook, delivery, the operator's list |
//! | deleted app, until nothing refers to it any more | `GONE#o` | `<app ksuid>` | sweep |
//! | phone number | `NUM#o#<mode>` | `<ksuid>` | list, get, delete, `affectedApps` |
//! | phone number's claim on its digits | `NUMCLAIM#o` | `<+n>` | unique in the organization |
//! | former numbers of the organization | `NUMWAS#o` | `<id of the number or app that was deleted>` | erasure |
//! | claim on a carrier number | `CPN#<n>` | `REF` | link and unlink a number, received SMS -> organization |
//! | chat business profile | `WABP#o#<mode>` | `<ksuid>` | get, list |
//! | claim on a live platform account | `WABA#<platform id>` | `REF` | signup, number registration, notification -> organization |
//! | last release of a live platform account | `WABA#<platform id>` | `RELEASED` | signup: reports for the previous organization are not passed on |
//! | claim on a simulated platform account | `WABASIM#o` | `<platform id>` | the same in test mode, within the organization |
//! | chat phone number | `WAPN#o#<mode>` | `<ksuid>` | get, list, assignment, playground |
//! | entry of a chat phone number in its profile | `WAPNOF#o#p` | `<ksuid>` | get and list profiles, list numbers by profile |
//! | claim on a live platform number | `PPN#<platform id>` | `REF` | number registration, notification -> organization |
//! | claim on a simulated platform number | `PPNSIM#o` | `<platform id>` | number registration in test mode |
//! | embedded signup in progress | `ONB#o#<hash of the code>` | `ONB` | signup, resumed by a retry |
//! | onboarding link; the open ones | `LINK#o#<mode>`; `LINK#o` | `<ksuid>`; `OPEN` | list, get, cancel, the page of the link; limit |
//! | token of an onboarding link | `LINKTOKEN#<hash>` | `LINKTOKEN` | authentication of the link's page |
//! | disconnection in progress | `DISC#o#p` | `DISC` | disconnection, resumed by a retry or by a job |
//! | profile of a released account; number of a released number | `DISC#o#<mode>` | `ACCOUNT#<platform id>`; `NUMBER#<platform id>` | reconnecting |
//! | template sync | `SYNC#o#p` | `SYNC`; `DRYRUN` | template sync: the run's lease and outcome |
//! | template | `TPL#o#p#<0-15>` | `<platform id>` | template sync: 16 partitions, read and written concurrently; get, edit, delete |
//! | template by name | `TPLNAME#o#p#<name>` | `<language>` | send by template, templates of a name |
//! | group | `GRP#o#g` | `GRP` | get, change, list by number |
//! | group in the list of its number | `GRPOF#o#n` | `<ksuid>` | list by number |
//! | group by the platform's id | `PGRP#o#n` | `<platform id>` | notifications |
//! | group by the platform's request | `PGREQ#o#n` | `<request id>` | the notification that confirms the group, even before the response |
//! | contact, and its aliases | `CONTACT#o#n#<user id or digits>` | `CONTACT` | events |
//! | contact that the business app of a number has supplied | `CONTACTOF#o#n` | `<user id or digits>` | deletion of the organization |
//! | allocated playground number | `PGNUM#o` | `<+n>` | generate playground user number, never allocated twice |
//! | playground user, by first use | `PGUSED#o` | `<time>#<+n>` | list playground chat user numbers |
//! | the simulated platform's record of a contact | `PGCONV#o#<platform number>` | `<+n>`; `,<user id>` | simulated inbound message, send in test mode, blocked users |
//! | profile of a number of the simulated platform | `PGCONV#o#<platform number>` | `PROFILE` | get and update the profile |
//! | requests to join a group of the simulated platform | `PGCONV#o#<platform group>` | `JOINS` | list, approve, reject |
//! | template of an account of the simulated platform | `PGCONV#o#<platform account>` | `TPL#<name>#<language>` | create, edit, delete and sync templates |
//! | simulation; the organization's running simulations | `SIM#o#<id>`; `SIM#o` | `SIM`; `RUNNING` | run a scenario, get a simulation |
//! | chat message and its related records | `MSG#o#m` | `MSG`; `DATA`, `GROUP`, `ORDER`, `SEND`, `RCPT#<id>`, `REFERRAL`, `WINDOW` | get: one query |
//! | chat or SMS messages of a number | `MSGLIST#o#n` | `<ksuid>` | list |
//! | chat or SMS messages between a number and a contact | `CONV#o#n#<+n or user id>` | `<ksuid>` | list, filtered by contact |
//! | message by the platform's id | `WAMID#o#n#<platform id>` | `REF` | statuses, replies, repetitions |
//! | applied update; recently deleted template; erased message | `SEEN#o#<hash>`; `SEEN#o#template#p#<platform id>`; `SEEN#o#erased#n#<hash of the platform id>` | `SEEN` | notifications are applied once |
//! | event to dispatch | `EVT#o#e` | `EVT` | outbox, written with the change |
//! | feed of an app's events | `FEED#o#a` | `HEAD`; `<20 digits of the sequence number>` | dispatch, pages of the feed |
//! | event in a feed | `FEEDREF#o#e` | `<app>` | a repeated dispatch adds nothing |
//! | webhook that listens to events of the organization | `HOOKS#o#<mode>` | `<webhook ksuid>` | dispatch of account and template events |
//! | delivery | `DLV#o#w#<0-7>` | `<ksuid>` | attempts, delivery log, redelivery |
//! | recovery; the item that a webhook's recoveries share | `RCV#o#w` | `<ksuid>`; `HEAD` | recover, get a recovery, rounds |
//! | health of a webhook's receiver | `HEALTH#o#w` | `HEALTH` | circuit breaker, disabling; only while it fails or is slow |
//! | invocations that post to slow receivers of an organization | `HEALTH#o` | `SLOW` | the bound on their number |
//! | use of a quota in an hour or a UTC day | `RATE#o#<scope>` | `<hour>` or `<day>` | quotas |
//! | pending uploads of an app | `RATE#o#<app>` | `PENDING` | the limit on pending uploads |
//! | pace of a number's queued messages; pause of one recipient | `PACE#o#n` | `PACE`; `TO#<recipient>` | a slot per message, pauses after rate limits |
//! | history of a number that waits: its line, and its parts | `HIST#o#n` | `LINE`; `PART#<hash>` | import, one part after the other |
//! | SMS message and its related records | `SMS#o#m` | `SMS`; `SEND` | get: one query |
//! | media | `MEDIA#o#m` | `MEDIA` | upload, get, delete; one partition per medium, so that uploads spread |
//! | response to an idempotent request | `IDEM#o#<hash>` | `IDEM` | retries of a POST |
//! | erasure of a contact, deletion of the organization, and their receipts | `ERASE#o` | `<digest of the contact>`; `ORGANIZATION` | erase a contact, delete an organization, show the receipt |
//! | counters of messages and deliveries by hour or day and group | `USAGE#o#<mode>#<messages or deliveries>#<hour or day>` | `<period>#<group>` | written by `meter`; usage |
//! | prices of chat messages | `RATECARD#o` | `RATECARD` | rate card, usage |
//! | up to where a shard of the stream is counted; what a restore has left uncounted | `METER#ALL`; `METER#GAPS` | `<stream>/<shard>`; `GAPS` | `meter`, usage |
//! | sign of life of the sweep | `BEAT#ALL` | `BEAT` | once per minute, counted by `meter` |
//! | what needs attention | `NEED#o` | `<severity>-<kind>-<id of the object>` | list; written with the state of each object |
//!
//! Identifiers and slugs contain no `#`, so no two objects can share a key.

mod account;
mod chat;
mod class;
mod event;
mod key;
mod message;
mod usage;

pub(crate) use account::*;
pub(crate) use chat::*;
pub use class::{KeyClass, ParsedKey};
pub use event::event_of;
pub(crate) use event::*;
pub use key::Key;
pub(crate) use message::*;
pub(crate) use usage::*;
