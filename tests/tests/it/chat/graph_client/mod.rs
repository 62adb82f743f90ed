//! Tests the platform client with a real HTTP server, and the behaviour that it shares with the simulator.

mod contract;
mod failures;
mod responses;

use api::status;
use domain::identity::credential::Secret;
use domain::{ErrorCode, Failure};
use platform::{Graph, PlatformError, TimeLimits, Vault};
use tests::World;
use tests::settings::{PLATFORM_SECRET, PROFILE_SECRETS, graph_settings};
use tests::standin::{StandIn, template};

/// The client with a stand-in of the platform, and the token of its account 1001.
struct Client {
    graph: Graph,
    platform: StandIn,
    token: Secret,
    world: World,
}

impl Client {
    async fn new() -> Client {
        Self::with_limits(TimeLimits::default()).await
    }

    async fn with_limits(limits: TimeLimits) -> Client {
        let world = World::new().await;
        let vault = Vault::new(&world.account.connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned());
        let platform = world.platform.clone();
        let graph = Graph::new(platform::GraphSettings { limits, ..graph_settings(&platform.url) }, vault).unwrap();
        platform.account("1001", &[("100101", "+1 201-555-0101"), ("100102", "12015550102")]);
        let templates = (0..7).map(|n| template(&format!("{n}"), &format!("t{n}"))).collect();
        platform.state().accounts.get_mut("1001").unwrap().templates = templates;
        Client { graph, platform, token: Secret::new("token-1001"), world }
    }
}

/// The status and code with which the API answers.
fn code(error: PlatformError) -> (u16, Option<ErrorCode>) {
    let failure = Failure::from(error);
    (status::of(failure.kind()).as_u16(), failure.code())
}
