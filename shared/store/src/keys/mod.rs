//! Every key of the table. The partition key begins with its class and then the organization, so that a function's
//! policy can list the classes it may touch (`dynamodb:LeadingKeys`). Nothing outside this module makes keys or takes them
//! apart.
//!
//! | class | partition key | sort key | serves |
//! |---|---|---|---|
//! | credential, session | `CRED#<sha256>` | `CRED` | every request |
//! | organization; its counters | `ORG#o` | `ORG`; `COUNT` | E14, limits |
//! | organization slug | `ORGSLUG#<slug>` | `ORGSLUG` | unique over the installation |
//! | operator's request | `ORGREQ#<request id>` | `ORGREQ` | a repeated request makes no second organization |
//! | admin key | `AKEY#o#<mode>` | `<ksuid>` | list, E17 |
//! | app | `APP#o#<mode>` | `<ksuid>` | list, get, calling, E16 |
//! | app slug | `APPSLUG#o` | `<slug>` | unique in the organization |
//! | app key | `APPKEY#o#a` | `<ksuid>` | list, deletion of key and app |
//! | webhook | `HOOK#o#a` | `<ksuid>` | E4 to E6, list |
//! | webhook secret and header values | `SEC#o#a` | `<webhook ksuid>` | E4, E5, delivery |
//! | deleted app, until what hung under it is gone | `GONE#o` | `<app ksuid>` | sweep |
//! | phone number | `NUM#o#<mode>` | `<ksuid>` | list, get, E13, `affectedApps` |
//! | phone number's claim on its digits | `NUMCLAIM#o` | `<+n>` | unique in the organization |
//! | chat business profile | `WABP#o#<mode>` | `<ksuid>` | E11, list |
//! | live claim on a platform account | `WABA#<platform id>` | `REF` | E2, E3, notification -> organization |
//! | simulated claim on one | `WABASIM#o` | `<platform id>` | E2, E3 in test mode, the organization's own |
//! | chat phone number | `WAPN#o#<mode>` | `<ksuid>` | get, list, assignment, playground |
//! | what a profile shows of a chat phone number | `WAPNOF#o#p` | `<ksuid>` | E11, list of profiles, list by profile |
//! | live claim on a platform number | `PPN#<platform id>` | `REF` | E3, notification -> organization |
//! | simulated claim on one | `PPNSIM#o` | `<platform id>` | E3 in test mode |
//! | onboarding under way | `ONB#o#<hash of the code>` | `ONB` | E2, resumed |
//! | template sync | `SYNC#o#p` | `SYNC`; `DRYRUN` | E7: the run's lease and outcome |
//! | template | `TPL#o#p#<0-15>` | `<platform id>` | E7: 16 partitions, read and written side by side |
//! | group | `GRP#o#g` | `GRP` | get, E8 |
//! | group by the platform's id | `PGRP#o#n` | `<platform id>` | notifications |
//! | group by the platform's request | `PGREQ#o#n` | `<request id>` | the notification that makes it, also one that comes first |
//! | contact, and other names of it | `CONTACT#o#n#<user id or digits>` | `CONTACT` | events |
//! | playground number given out | `PGNUM#o` | `<+n>` | E15, never given out twice |
//! | playground user, by first use | `PGUSED#o` | `<time>#<+n>` | E1 |
//! | chat message and its parts | `MSG#o#m` | `MSG`; `DATA`, `ORDER`, `RCPT#<id>`, `REFERRAL`, `WINDOW` | E12: one query |
//! | chat messages of a number | `MSGLIST#o#n` | `<ksuid>` | list |
//! | message by the platform's id | `WAMID#o#n#<platform id>` | `REF` | statuses, replies, repetitions |
//! | update applied already; template deleted of late | `SEEN#o#<hash>`; `SEEN#o#template#p#<platform id>` | `SEEN` | notifications are applied once |
//! | event to dispatch | `EVT#o#e` | `EVT` | outbox, written with the change |
//! | webhook that listens to events of the organization | `HOOKS#o#<mode>` | `<webhook ksuid>` | dispatch of account and template events |
//! | delivery | `DLV#o#w#<0-7>` | `<ksuid>` | its attempts, the log, redelivery |
//! | health of a webhook's receiver | `HEALTH#o#w` | `HEALTH` | breaker, disabling; only while it fails |
//! | what was spent in an hour or a UTC day | `RATE#o#<whose>` | `<hour>` or `<day>` | quotas |
//! | pending uploads of an app | `RATE#o#<app>` | `PENDING` | their limit |
//! | SMS message | `SMS#o#m` | `SMS` | the playground's record |
//! | media | `MEDIA#o#m` | `MEDIA` | E9, get, delete; one partition each, so that uploads spread |
//! | idempotent answer | `IDEM#o#<hash>` | `IDEM` | retries of a POST |
//!
//! Identifiers and slugs contain no `#`, so no two objects can share a key.

mod account;
mod chat;
mod class;
mod event;
mod key;

pub(crate) use account::*;
pub(crate) use chat::*;
pub use class::{KeyClass, ParsedKey};
pub use event::event_of;
pub(crate) use event::*;
pub use key::Key;
pub(crate) use key::spread;
