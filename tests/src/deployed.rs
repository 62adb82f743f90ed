//! The stack that `make test` deployed, over HTTP.

use crate::contract;
use crate::request::{Call, Reply};
use crate::world::{Organization, Service};

pub struct Deployed {
    pub base_url: String,
    org: Organization,
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; `make test` deploys a stack and sets it"))
}

impl Deployed {
    pub fn from_env() -> Deployed {
        Deployed {
            base_url: variable("BASE_URL"),
            org: Organization {
                id: variable("ORGANIZATION_ID"),
                admin: variable("ADMIN_KEY"),
                test_admin: variable("TEST_ADMIN_KEY"),
                session: variable("SESSION_TOKEN"),
                app: variable("APP_ID"),
                app_key: variable("APP_KEY"),
                test_app: variable("TEST_APP_ID"),
                test_app_key: variable("TEST_APP_KEY"),
            },
        }
    }
}

impl Service for Deployed {
    fn org(&self) -> &Organization {
        &self.org
    }

    async fn send(&self, call: Call) -> Reply {
        let mut request = http::Request::new(call.body.clone());
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = format!("{}{}", self.base_url, call.path).parse().unwrap();
        *request.headers_mut() = call.headers.clone();
        let answer = tokio::task::spawn_blocking(move || {
            let config = ureq::Agent::config_builder().http_status_as_error(false).allow_non_standard_methods(true);
            let agent = ureq::Agent::new_with_config(config.build());
            let mut answer = agent.run(request).unwrap();
            let text = answer.body_mut().read_to_string().unwrap();
            Reply { status: answer.status(), headers: answer.headers().clone(), text }
        });
        let reply = answer.await.unwrap();
        contract::check(&call, &reply);
        reply
    }
}
