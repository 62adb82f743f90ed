//! Serves connections, with the faults that the test has asked for.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::{Misbehave, Seen, StandIn, answer, read_request};

impl StandIn {
    pub(super) fn serve(&self, mut stream: TcpStream) {
        let mut since = Instant::now();
        let connection = self.next_connection();
        while let Some(seen) = read_request(&mut stream) {
            let misbehaviour = self.next_misbehaviour(&seen.path);
            let seen = Seen { connection, misbehaviour: misbehaviour.clone(), ..seen };
            self.state().seen.push(seen.clone());

            let is_open = self.reply(&mut stream, &seen, misbehaviour);
            self.state().times.push(since.elapsed());
            if !is_open {
                return;
            }
            since = Instant::now();
        }
    }

    fn next_connection(&self) -> u64 {
        let mut state = self.state();
        state.connections += 1;
        state.connections
    }

    /// Writes the response to a request. Returns whether the connection stays open.
    fn reply(&self, stream: &mut TcpStream, seen: &Seen, misbehaviour: Option<Misbehave>) -> bool {
        match misbehaviour {
            None => answer(stream, &self.respond(seen)),
            Some(Misbehave::Status(status, body)) => answer(stream, &(status, body.into_bytes())),
            Some(Misbehave::Slow(by)) => {
                thread::sleep(by);
                answer(stream, &self.respond(seen))
            }
            Some(Misbehave::Held(gate, other)) => {
                gate.pass();
                let other = other.map(|(status, body)| (status, body.into_bytes()));
                answer(stream, &other.unwrap_or_else(|| self.respond(seen)))
            }
            Some(Misbehave::CutOff) => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\":");
                false
            }
            Some(Misbehave::HangUp) => false,
            Some(Misbehave::Oversized) => {
                write_oversized(stream);
                false
            }
            Some(Misbehave::Silent) => {
                thread::sleep(Duration::from_secs(60));
                false
            }
        }
    }
}

/// Writes 20 MiB, or as much as the client takes.
fn write_oversized(stream: &mut TcpStream) {
    let chunk = vec![b' '; 1 << 20];
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 20971520\r\n\r\n");
    for _ in 0..20 {
        if stream.write_all(&chunk).is_err() {
            break;
        }
    }
}
