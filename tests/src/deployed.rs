//! The stack that `make test` deployed, over HTTP.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use http::{HeaderMap, StatusCode};

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

    /// Sends the request target exactly as given; HTTP clients would normalize it.
    pub fn raw(&self, method: &str, target: &str, key: &str) -> Reply {
        let (host, prefix) = self.base_url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let head = format!(
            "{method} /{prefix}{target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, text) = answer.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: HeaderMap = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        Reply { status: StatusCode::from_u16(status).unwrap(), headers, text: text.to_owned() }
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
