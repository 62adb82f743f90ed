//! Nobody ever gets more than whoever gave it had: keys, rotations, changed limits, members with links, and webhooks in random
//! order, with random rights. The rights are computed here by themselves, from the tables of docs/access.md.

use std::collections::BTreeSet;

use fastrand::Rng;
use serde_json::json;
use tests::catalogue::{MEMBERS, SESSION_KEY, session_of, token_of};
use tests::request::text;
use tests::settings::of_size;
use tests::{Call, Service as _, World};

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";
const SUBJECTS: [&str; 7] = ["keys", "apps", "webhooks", "messages", "settings", "numbers", "members"];
/// Subjects of app keys among these; keys of apps cannot have the others.
const OF_APPS: [&str; 3] = ["webhooks", "messages", "numbers"];
/// The scopes of roles, as far as these subjects go; `None` has all.
const ROLES: [(&str, Option<&[&str]>); 5] = [
    ("OWNER", None),
    ("ADMIN", None),
    (
        "DEVELOPER",
        Some(&[
            "keys:read",
            "apps:read",
            "apps:write",
            "webhooks:read",
            "webhooks:write",
            "messages:read",
            "messages:write",
            "settings:read",
            "numbers:read",
            "members:read",
        ]),
    ),
    ("SUPPORT", Some(&["messages:read", "apps:read", "webhooks:read", "numbers:read"])),
    ("VIEWER", Some(&["settings:read", "apps:read", "webhooks:read", "numbers:read"])),
];
/// Networks, each with an address in it and the indexes of those that contain it.
const NETWORKS: [(&str, &str, &[usize]); 3] = [
    ("203.0.113.0/24", "203.0.113.200", &[0]),
    ("203.0.113.0/25", "203.0.113.7", &[0, 1]),
    ("198.51.100.0/24", "198.51.100.7", &[2]),
];

/// A credential, and what it was given.
#[derive(Clone, Debug)]
struct Held {
    key: String,
    path: String,
    is_admin: bool,
    is_test: bool,
    scopes: Option<BTreeSet<String>>,
    network: Option<usize>,
}

impl Held {
    /// What it may do among these subjects.
    fn rights(&self) -> BTreeSet<String> {
        let subjects: &[&str] = if self.is_admin { &SUBJECTS } else { &OF_APPS };
        let all = || subjects.iter().flat_map(|subject| [format!("{subject}:read"), format!("{subject}:write")]);
        let mut rights = self.scopes.clone().unwrap_or_else(|| all().collect());
        // Whoever writes may read, except messages.
        let read = rights.iter().filter_map(|scope| Some(format!("{}:read", scope.strip_suffix(":write")?)));
        rights = read.filter(|scope| scope != "messages:read").chain(rights.clone()).collect();
        rights
    }

    fn may(&self, scope: &str) -> bool {
        self.rights().contains(scope)
    }

    /// Whether it has nothing that `other` lacks.
    fn is_within(&self, other: &Held) -> bool {
        let in_network = match (self.network, other.network) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(outer)) => NETWORKS[own].2.contains(&outer),
        };
        self.rights().is_subset(&other.rights()) && (self.is_test || !other.is_test) && in_network
    }

    fn call(&self, call: Call) -> Call {
        let call = call.key(&self.key);
        match self.network {
            Some(network) => call.from(NETWORKS[network].1),
            None => call,
        }
    }
}

fn wanted_scopes(random: &mut Rng) -> Option<BTreeSet<String>> {
    if random.u8(0..4) == 0 {
        return None;
    }
    let scope = |random: &mut Rng| {
        let subject = SUBJECTS[random.usize(..SUBJECTS.len())];
        format!("{subject}:{}", if random.bool() { "read" } else { "write" })
    };
    let mut scopes: BTreeSet<String> = (0..random.usize(1..5)).map(|_| scope(random)).collect();
    // Most of them should be able to create more.
    scopes.extend(["keys:write".to_owned()].into_iter().filter(|_| random.u8(0..4) > 0));
    Some(scopes)
}

fn wanted_network(random: &mut Rng) -> Option<usize> {
    random.bool().then(|| random.usize(..NETWORKS.len()))
}

struct Play<'a> {
    world: &'a World,
    random: Rng,
    held: Vec<Held>,
    done: usize,
}

impl Play<'_> {
    fn any(&mut self) -> Held {
        self.held[self.random.usize(..self.held.len())].clone()
    }

    /// Adds what `giver` was given, unless it was refused.
    fn given(&mut self, giver: &Held, got: Held, what: &str) {
        let scope = if what == "a member" { "members:write" } else { "keys:write" };
        assert!(giver.may(scope), "{what} without the scope: {giver:?}");
        assert!(got.is_within(giver), "{what}: {giver:?} gave {got:?}");
        self.done += 1;
        self.held.push(got);
    }

    async fn create(&mut self) {
        let giver = self.any();
        let (scopes, network) = (wanted_scopes(&mut self.random), wanted_network(&mut self.random));
        let (is_admin, is_test) = (self.random.bool(), self.random.bool());
        let app = if is_test { &self.world.org.test_app } else { &self.world.org.app };
        let path = if is_admin { ADMIN_KEYS.to_owned() } else { format!("/v1/organization/apps/{app}/keys") };
        let mut body = json!({"name": "Made"});
        if is_admin {
            body["test"] = json!(is_test);
        }
        if let Some(scopes) = &scopes {
            body["scopes"] = json!(scopes);
        }
        if let Some(network) = network {
            body["allowedIps"] = json!([NETWORKS[network].0]);
        }
        let reply = self.world.send(giver.call(Call::post(&path).json(&body))).await;
        if reply.status != 201 {
            return;
        }
        let made = reply.json();
        let path = format!("{path}/{}", text(&made, "id"));
        self.given(&giver, Held { key: text(&made, "key"), path, is_admin, is_test, scopes, network }, "a key");
    }

    async fn rotate(&mut self) {
        let (giver, key) = (self.any(), self.any());
        let grace = json!({"gracePeriodSeconds": 3600});
        let reply = self.world.send(giver.call(Call::post(format!("{}/rotate", key.path)).json(&grace))).await;
        if reply.status == 200 {
            let rotated = Held { key: text(&reply.json(), "key"), ..key };
            self.given(&giver, rotated, "a rotation");
        }
    }

    async fn change_networks(&mut self) {
        let (giver, key, network) = (self.any(), self.any(), wanted_network(&mut self.random));
        let networks = network.map(|network| vec![NETWORKS[network].0]);
        let call = Call::patch(&key.path).json(&json!({"allowedIps": networks}));
        if self.world.send(giver.call(call)).await.status != 200 {
            return;
        }
        // All values of the key have the networks from now on.
        let (of_key, path): (Vec<Held>, _) =
            (self.held.iter().filter(|held| held.path == key.path).cloned().collect(), key.path);
        self.held.retain(|held| held.path != path);
        for held in of_key {
            self.given(&giver, Held { network, ..held }, "networks");
        }
    }

    /// Invites a member, makes a link, signs in with it, and gets a key.
    async fn invite(&mut self) {
        let giver = self.any();
        let (role, scopes) = ROLES[self.random.usize(..ROLES.len())];
        let email = format!("{}@example.com", self.random.u64(..));
        let invited = Call::post(MEMBERS).json(&json!({"email": email, "role": role}));
        let reply = self.world.send(giver.call(invited)).await;
        if reply.status != 201 {
            return;
        }
        assert_ne!(role, "OWNER", "{giver:?} has made an owner");
        let path = format!("{MEMBERS}/{}", text(&reply.json(), "id"));
        let link = self.world.send(giver.call(Call::post(format!("{path}/sign-in-link")))).await.expect(201);
        let session = session_of(self.world, &token_of(&link)).await;

        let is_test = self.random.bool();
        let mode = json!({"mode": if is_test { "test" } else { "live" }});
        let key = self.world.send(Call::post(SESSION_KEY).key(&session).json(&mode)).await.expect(201);
        let mut scopes: Option<BTreeSet<String>> =
            scopes.map(|scopes| scopes.iter().map(|scope| (*scope).to_owned()).collect());
        if let Some(scopes) = scopes.as_mut().filter(|_| role == "DEVELOPER" && is_test) {
            scopes.insert("keys:write".to_owned());
        }
        let got = Held { key: text(&key, "key"), path, is_admin: true, is_test, scopes, network: None };
        self.given(&giver, got, "a member");
    }

    /// A webhook shows its receiver what it listens to.
    async fn listen(&mut self) {
        let giver = self.any();
        let event = ["messages.sms.received", "templates.chat.updated"][self.random.usize(..2)];
        let app = if giver.is_test { &self.world.org.test_app } else { &self.world.org.app };
        let path =
            if giver.is_admin { format!("/v1/organization/apps/{app}/webhooks") } else { "/v1/webhooks".to_owned() };
        let body = json!({"url": "https://example.com/hook", "events": [event]});
        let reply = self.world.send(giver.call(Call::post(path).json(&body))).await;
        let sees = !event.starts_with("messages.") || giver.may("messages:read");
        if reply.status == 401 {
            // A value that has ended, because its key was rotated twice.
            return;
        }
        if reply.status == 201 {
            assert!(giver.may("webhooks:write") && sees, "{giver:?} listens to {event}");
            self.done += 1;
        } else if giver.may("webhooks:write") && sees {
            assert_eq!(reply.json()["error"]["param"], "webhooks", "{giver:?}: {}", reply.text);
        }
    }
}

#[tokio::test]
async fn no_sequence_of_requests_escalates_a_key() {
    for seed in 0..of_size(2, 12) {
        let world = World::new().await;
        let first = |key: &str, is_test| Held {
            key: key.to_owned(),
            path: ADMIN_KEYS.to_owned(),
            is_admin: true,
            is_test,
            scopes: None,
            network: None,
        };
        let held = vec![first(&world.org.admin, false), first(&world.org.test_admin, true)];
        let mut play = Play { world: &world, random: Rng::with_seed(seed), held, done: 0 };
        for _ in 0..120 {
            match play.random.u8(0..7) {
                6 => play.invite().await,
                0..=2 => play.create().await,
                3 => play.rotate().await,
                4 => play.change_networks().await,
                _ => play.listen().await,
            }
        }
        assert!(play.done > 15, "seed {seed}: {} of 120", play.done);
    }
}
