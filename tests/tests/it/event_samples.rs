//! The sample payloads in events/payloads equal the bodies of test deliveries.

use std::path::Path;

use domain::Timestamp;
use domain::event::EventName;
use domain::port::Random;
use serde_json::{Value, json};
use views::SampleOf;

/// Returns the same bytes in every run, so that the samples do not change.
struct Counting;

impl Random for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for (byte, value) in bytes.iter_mut().zip(1_u8..) {
            *byte = value;
        }
    }
}

fn sample(kind: EventName) -> Value {
    let organization = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().unwrap();
    let app = "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().unwrap();
    let now = Timestamp::parse("2026-11-21T10:00:00.000Z").unwrap();
    let data = SampleOf { organization: &organization, app: &app, now, random: &Counting }.data(kind).unwrap();
    json!({
        "id": "evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "type": kind.as_str(), "createdAt": now, "organizationId": organization,
        "appId": app, "mode": "live", "data": serde_json::from_str::<Value>(&data).unwrap(),
    })
}

/// `UPDATE_SAMPLES=1` regenerates the samples.
#[test]
fn every_event_has_its_sample_payload() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../events/payloads");
    for kind in EventName::ALL {
        let path = folder.join(format!("{}.json", kind.as_str()));
        let wanted = format!("{}\n", serde_json::to_string_pretty(&sample(*kind)).unwrap());
        if std::env::var("UPDATE_SAMPLES").is_ok() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &wanted).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", path.display()));
        assert_eq!(found, wanted, "{}", path.display());
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), EventName::ALL.len());
}
