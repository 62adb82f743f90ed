//! Router, template and annotations say the same.

use std::collections::BTreeSet;

use api::operations::OPERATIONS;
use http::Method;
use tests::{Call, Service as _, World};
use utoipa::OpenApi as _;

type Operations = BTreeSet<(String, String, String)>;

fn table() -> Operations {
    let entry = |operation: &api::operations::Operation| {
        (operation.function.to_owned(), operation.method.to_string(), operation.path.to_owned())
    };
    OPERATIONS.iter().map(entry).collect()
}

#[test]
fn every_operation_is_annotated() {
    let documents = [
        ("organization", organization::Api::openapi()),
        ("apps", apps::Api::openapi()),
        ("chat", chat::Api::openapi()),
        ("notifications", notifications::Api::openapi()),
        ("media", media::Api::openapi()),
        ("playground", playground::Api::openapi()),
        ("docs", ::docs::Api::openapi()),
    ];
    let mut annotated = Operations::new();
    for (function, document) in documents {
        let document = serde_json::to_value(document).unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                assert!(operation["summary"].is_string() && operation["tags"].is_array(), "{method} {path}");
                // The platform signs its notifications; its handshake proves itself by a token in the query.
                assert!(operation["security"].is_array() || function == "notifications", "{method} {path}");
                annotated.insert((function.to_owned(), method.to_uppercase(), path.clone()));
            }
        }
    }
    assert_eq!(annotated, table());
}

#[test]
fn the_template_routes_every_operation_to_its_function() {
    let template = include_str!("../../../infra/template.yaml");
    let mut routed = Operations::new();
    let mut default = None;
    for line in template.lines().filter(|line| line.contains("RouteKey:")) {
        let key = line.split('"').nth(1).unwrap();
        let function =
            line.split("integrations/${").nth(1).unwrap().split("Integration").next().unwrap().to_lowercase();
        match key.split_once(' ') {
            Some((method, path)) => {
                assert!(routed.insert((function, method.to_owned(), path.to_owned())), "{key} twice")
            }
            None => default = Some((key, function)),
        }
    }
    assert_eq!(routed, table());
    assert_eq!(default, Some(("$default", "docs".to_owned())));
}

#[tokio::test]
async fn the_routers_answer_exactly_the_table() {
    let world = World::new().await;
    for operation in OPERATIONS {
        let path = operation.path.replace(['{', '}'], "");
        let methods: BTreeSet<&Method> =
            OPERATIONS.iter().filter(|other| other.path == operation.path).map(|other| &other.method).collect();
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let status = world.send(Call::new(method.clone(), &path)).await.status.as_u16();
            let expected: &[u16] = if !methods.contains(&method) {
                &[405]
            } else if operation.function == "docs" {
                &[200]
            } else if path == "/v1/platform/notifications" {
                &[401, 403]
            } else {
                &[401]
            };
            // POST /v1/media/uploads lies beside GET /v1/media/{mediaId}.
            assert!(expected.contains(&status), "{method} {path}: {status}");
        }
    }
}

#[test]
fn every_operation_has_a_sample_event() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../events");
    let mut sampled = Operations::new();
    for operation in OPERATIONS {
        let function = folder.join(operation.function);
        for file in std::fs::read_dir(&function).unwrap_or_else(|_| panic!("{}", function.display())) {
            let event = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let event: serde_json::Value = serde_json::from_str(&event).unwrap();
            let (method, path) = event["routeKey"].as_str().unwrap().split_once(' ').unwrap();
            sampled.insert((operation.function.to_owned(), method.to_owned(), path.to_owned()));
        }
    }
    assert_eq!(sampled, table());
}
