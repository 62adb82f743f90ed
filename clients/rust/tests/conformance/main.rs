//! Plays the vectors of clients/conformance, as its README says.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod clock;
mod compare;
#[rustfmt::skip]
mod operations;
mod player;
mod server;
mod special;

use std::process::Command;
use std::sync::Arc;

use serde_json::Value;

use player::play;
use server::Server;

/// The vector that a process of its own plays, because it sets variables of the environment.
const ALONE: &str = "CONFORMANCE_ALONE";
/// How many vectors are played at the same time.
const AT_ONCE: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_vector() {
    let server = Arc::new(Server::start());
    let vectors = server.ask("GET", "/vectors", None).await;
    // Blobs are no part of Rust. A future is ended by dropping it, so that there is no signal and nothing to compare.
    let is_playable = |vector: &&Value| vector["needs"].as_array().is_none_or(Vec::is_empty);
    let playable: Vec<Value> = vectors.as_array().unwrap().iter().filter(is_playable).cloned().collect();
    assert!(playable.len() > 100);

    let queue = Arc::new(std::sync::Mutex::new(playable));
    let players = (0..AT_ONCE).map(|_| {
        let (server, queue) = (Arc::clone(&server), Arc::clone(&queue));
        tokio::spawn(async move {
            let mut failed = Vec::new();
            loop {
                let Some(vector) = queue.lock().unwrap().pop() else { return failed };
                failed.extend(problems(&server, &vector).await);
            }
        })
    });
    let mut failed = Vec::new();
    for player in players.collect::<Vec<_>>() {
        failed.extend(player.await.unwrap());
    }
    assert!(failed.is_empty(), "{} problems:\n{}", failed.len(), failed.join("\n"));
}

async fn problems(server: &Server, vector: &Value) -> Vec<String> {
    let name = vector["name"].as_str().unwrap();
    let found = match vector["client"].get("environment") {
        None => play(server, name).await,
        Some(_) => alone(name, server).await,
    };
    found.into_iter().map(|problem| format!("{name}: {problem}")).collect()
}

/// Plays a vector in a process of its own.
async fn alone(name: &str, server: &Server) -> Vec<String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_vector_with_an_environment", "--nocapture"]);
    command.env(ALONE, name).env("CONFORMANCE_SERVER", server.address());
    command.env_remove("MESSAGING_API_KEY").env_remove("MESSAGING_BASE_URL");
    let opened = server.ask("POST", "/runs", Some(serde_json::json!({"name": name}))).await;
    for (variable, value) in opened["vector"]["client"]["environment"].as_object().unwrap() {
        command.env(variable, value.as_str().unwrap());
    }
    command.env("CONFORMANCE_RUN", opened.to_string());
    let ended = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    match ended.status.success() {
        true => Vec::new(),
        false => vec![String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr)],
    }
}

/// Does nothing, unless the test above started this process for a vector.
#[tokio::test]
async fn a_vector_with_an_environment() {
    let Ok(name) = std::env::var(ALONE) else { return };
    let server = Server::at(&std::env::var("CONFORMANCE_SERVER").unwrap());
    let opened = serde_json::from_str(&std::env::var("CONFORMANCE_RUN").unwrap()).unwrap();
    let problems = player::play_opened(&server, opened).await;
    assert!(problems.is_empty(), "{name}: {problems:?}");
}
