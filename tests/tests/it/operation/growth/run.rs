//! Measures operations on a scene.

use std::time::Instant;

use api::cursor;
use domain::id::OrganizationId;
use serde_json::Value;
use tests::Call;
use tests::standin::{APP_SECRET, signature};

use super::results::{Growth, Row};
use super::scene::Scene;
use super::{CALLS, FULL, PAGE};

const NOTIFICATIONS: &str = "/v1/platform/notifications";

pub(super) struct Run<'a> {
    pub(super) scene: &'a Scene,
    pub(super) rows: Vec<Row>,
}

/// A list of objects.
pub(super) struct List<'a> {
    /// What it lists, as in the names of rows.
    pub(super) kind: &'static str,
    pub(super) path: String,
    /// Its name in cursors.
    pub(super) name: String,
    /// Returns the id of the n-th object, as cursors name it.
    pub(super) id: &'a dyn Fn(usize) -> String,
    /// The limit on the number of objects.
    pub(super) most: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(scene: &'a Scene) -> Run<'a> {
        Run { scene, rows: Vec::new() }
    }

    /// Runs and measures each of `works`, checks that all of them cost the same, and adds a row.
    pub(super) async fn add<T>(
        &mut self,
        name: &str,
        growth: Growth,
        works: impl IntoIterator<Item: Future<Output = T>>,
    ) -> Vec<T> {
        let (mut done, mut costs, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for work in works {
            let started = Instant::now();
            let (made, mut cost) = self.scene.world.faults.meter.of(work).await;
            times.push(started.elapsed());
            done.push(made);
            // Calls of the same round trip end in any order.
            cost.calls.sort();
            // Times and counters in items have different lengths; the units count.
            cost.bytes_read = 0;
            costs.push(cost);
        }

        assert_eq!(done.len(), if growth == Growth::Whole { 1 } else { CALLS }, "{name}");
        assert!(costs.iter().all(|cost| *cost == costs[0]), "{name}: {costs:?}");
        times.sort();
        let median = times[times.len() / 2];
        self.rows.push(Row { name: name.to_owned(), growth, cost: costs.swap_remove(0), median });
        done
    }

    /// Measures requests with the organization's admin key. Returns their responses.
    pub(super) async fn calls(&mut self, name: &str, calls: impl IntoIterator<Item = Call>) -> Vec<Value> {
        self.growing_calls(name, Growth::None, calls).await
    }

    /// Measures a request that reads all objects of a kind.
    pub(super) async fn whole(&mut self, name: &str, call: Call) {
        self.growing_calls(name, Growth::Whole, [call]).await;
    }

    async fn growing_calls(&mut self, name: &str, growth: Growth, calls: impl IntoIterator<Item = Call>) -> Vec<Value> {
        let scene = self.scene;
        let calls = calls.into_iter().map(|call| scene.answer(call.key(&scene.world.org.admin)));
        self.add(name, growth, calls).await
    }

    /// Measures notifications of the platform.
    pub(super) async fn notifications(&mut self, name: &str, notifications: impl IntoIterator<Item = Value>) {
        let scene = self.scene;
        let calls = notifications.into_iter().map(|notification| {
            let body = notification.to_string().into_bytes();
            let signature = signature(APP_SECRET, &body);
            scene.answer(Call::post(NOTIFICATIONS).header("x-hub-signature-256", &signature).bytes(body))
        });
        self.add(name, Growth::None, calls).await;
    }

    /// Measures the first page and a page from the middle of a list.
    pub(super) async fn pages(&mut self, list: List<'_>) {
        let scene = self.scene;
        let count = scene.size.min(list.most);

        let name = format!("{}: first page", list.kind);
        let first = self.growing_calls(&name, Growth::Page, repeat(&Call::get(&list.path))).await;
        assert_eq!(first[0]["data"].as_array().unwrap().len().min(count), count.min(PAGE), "{name}");
        if scene.size < FULL {
            return;
        }

        let name = format!("{}: later page", list.kind);
        let organization: OrganizationId = scene.world.org.id.parse().unwrap();
        let after = cursor::encode(&organization, &list.name, &(list.id)(count / 2));
        let mark = if list.path.contains('?') { '&' } else { '?' };
        let call = Call::get(format!("{}{mark}cursor={after}", list.path));
        let later = self.growing_calls(&name, Growth::Page, repeat(&call)).await;
        assert_eq!(later[0]["data"].as_array().unwrap().len(), PAGE, "{name}");
        assert!(later[0]["nextCursor"].is_string());
    }
}

pub(super) fn repeat(call: &Call) -> Vec<Call> {
    vec![call.clone(); CALLS]
}
