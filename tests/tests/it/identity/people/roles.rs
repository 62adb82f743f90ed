//! What each role may do with the keys of a session: exactly what its scopes say.

use domain::Mode;
use domain::identity::member::Role;
use serde_json::json;
use tests::catalogue::{Policy, SESSION_KEY, cases};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{Signed, signed_in};

/// A member of a role, with a key of each kind that operations take.
struct Keys {
    role: Role,
    admin: String,
    app: String,
    test_app: String,
}

async fn keys_of(world: &World, role: Role) -> Keys {
    let name = text(&json!({"role": role}), "role");
    let signed: Signed = signed_in(world, &format!("{name}@example.com"), &name).await;
    let app_key = async |app: &str| {
        let call = Call::post(SESSION_KEY).key(&signed.session).json(&json!({"appId": app}));
        text(&world.send(call).await.expect(201), "key")
    };
    let (app, test_app) = (app_key(&world.org.app).await, app_key(&world.org.test_app).await);
    Keys { role, admin: signed.key(world, "live").await, app, test_app }
}

#[tokio::test]
async fn each_role_may_do_what_its_scopes_say() {
    let world = World::new().await;
    let mut members = Vec::new();
    // Those who may do least come first, because owners delete what others ask for.
    for role in Role::ALL.into_iter().rev() {
        members.push(keys_of(&world, role).await);
    }

    let (needed, mut walked) = (contract::needed_scopes(), 0);
    for case in cases(&world).await {
        let method = case.method().as_str();
        let Some(needed) = needed.iter().find(|needed| needed.is_of(method, case.template)) else { continue };
        for keys in &members {
            let (key, mode) = match case.policy {
                Policy::Admin | Policy::Member => (&keys.admin, Mode::Live),
                Policy::App => (&keys.app, Mode::Live),
                Policy::AppInTestMode | Policy::TestApp | Policy::Tester => (&keys.test_app, Mode::Test),
                Policy::Link | Policy::SignInLink | Policy::SignedIn => continue,
            };
            let scope = needed.scope;
            let allowed = keys.role.scopes(mode).is_none_or(|scopes| scopes.allow(scope));
            let reply = world.send_undocumented(case.call.clone().key(key)).await;
            let lacks_it = reply.status == 403 && reply.text.contains(scope.as_str());
            assert_eq!(!lacks_it, allowed, "{:?}: {method} {}: {reply:?}", keys.role, case.template);
            walked += 1;
        }
    }
    assert!(walked > 400, "{walked}");
}
