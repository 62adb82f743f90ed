//! The examples in the OpenAPI document are recorded requests and responses of the service.

mod provenance;
mod recording;
mod secrets;
mod shape;

use std::path::{Path, PathBuf};

use domain::identity::credential::Bearer;
use serde_json::{Value, json};
use tests::World;

use self::recording::record;
use self::shape::differences;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract").join(name)
}

/// Reads a file of recordings.
fn read(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path(name)).unwrap()).unwrap()
}

/// `UPDATE_SAMPLES=1` records the examples again; `make contract` then adds them to the document.
#[tokio::test]
async fn every_operation_has_an_example_that_the_service_answered() {
    let world = World::new().await;
    let recorded = record(&world).await;
    if std::env::var("UPDATE_SAMPLES").is_ok() {
        std::fs::write(path("examples.json"), contract::print::json(&json!(recorded))).unwrap();
    }

    let committed = read("examples.json");
    for (id, example) in &recorded {
        let Some(committed) = committed.get(id) else { panic!("{id} has no example: set UPDATE_SAMPLES=1") };
        let differences = differences(committed, example);
        assert!(differences.is_empty(), "{id}: {differences:?}: set UPDATE_SAMPLES=1");
    }
    assert_eq!(committed.as_object().unwrap().len(), recorded.len());
}

#[test]
fn no_example_holds_a_valid_key() {
    let text = contract::document().to_string();
    for prefix in ["sk_test_app_", "sk_live_app_", "sk_admin_"] {
        for found in text.match_indices(prefix) {
            let value: String =
                text[found.0..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            assert!(Bearer::parse(&value).is_none(), "{value}");
        }
    }
}
