//! Following events: nothing is lost when connections break, receivers are down, or the program is killed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::kit::{PATIENCE, Receiver, User, eventually, variable};

/// Stands between the program and the stack, and can cut it off.
struct Line {
    address: String,
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    fn start() -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let line = Line { address, is_cut: Arc::default(), open: Arc::default() };
        let (is_cut, open) = (line.is_cut.clone(), line.open.clone());
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let far = TcpStream::connect(authority()).unwrap();
                open.lock().unwrap().extend([near.try_clone().unwrap(), far.try_clone().unwrap()]);
                let (mut near_out, mut far_out) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                std::thread::spawn(move || copy(near, &mut far_out));
                std::thread::spawn(move || copy(far, &mut near_out));
            }
        });
        line
    }

    fn base_url(&self) -> String {
        variable("BASE_URL").replace(&authority(), &self.address)
    }

    /// Breaks all connections, and refuses new ones until `mend`.
    fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn authority() -> String {
    variable("BASE_URL").split('/').nth(2).unwrap().to_owned()
}

fn copy(mut from: TcpStream, to: &mut TcpStream) {
    let mut bytes = [0; 8192];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..length]).is_err() {
            break;
        }
    }
    // It may be closed already.
    let _ = to.shutdown(Shutdown::Both);
}

/// Ends the program at the end of a test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts `listen`, and waits until it has its position.
fn start(user: &User, arguments: &[&str]) -> (Running, Arc<Mutex<String>>) {
    let mut child = user.command(&[&["listen"], arguments].concat()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = child.stderr.take().unwrap();
    let said = Arc::new(Mutex::new(String::new()));
    let notes = said.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            notes.lock().unwrap().extend([line.as_str(), "\n"]);
        }
    });
    eventually("listening", || said.lock().unwrap().contains("Listening").then_some(()));
    (Running(child), said)
}

fn write(user: &User, text: &str) {
    let body = format!("text.body={text}");
    user.json(&[
        "api",
        "POST",
        "/v1/playground/chat/inbound",
        "-f",
        "from=+12015550123",
        "-f",
        "type=text",
        "-f",
        &body,
    ]);
}

fn texts(events: &[Value]) -> Vec<String> {
    events.iter().filter_map(|event| event["data"]["textBody"].as_str().map(str::to_owned)).collect()
}

#[test]
#[ignore = "needs the local stack"]
fn nothing_is_lost_between_a_broken_line_and_a_receiver_that_is_down() {
    let (owner, _) = User::with_app("Listening");
    let line = Line::start();
    let key = owner.key("appKey");
    let user = User::new().set("MESSAGING_BASE_URL", &line.base_url()).set("MESSAGING_API_KEY", &key);
    let receiver = Receiver::start(500);
    let types = "messages.chat.received";
    let (_running, said) = start(&user, &["--forward-to", &receiver.url, "--types", types]);
    let secret = said.lock().unwrap().split_whitespace().find(|word| word.starts_with("whsec_")).unwrap().to_owned();
    assert!(!said.lock().unwrap().contains(&key));

    // The receiver is down when the first event comes, and the line breaks before the others.
    write(&owner, "one");
    eventually("a first attempt", || receiver.received().first().cloned());
    line.cut();
    write(&owner, "two");
    receiver.respond(204);
    write(&owner, "three");
    eventually("the notice", || said.lock().unwrap().contains("Retrying").then_some(()));
    line.mend();
    write(&owner, "four");

    // The order is that of the feed.
    let feed = eventually("the feed", || {
        let feed = owner.json(&["api", "GET", "/v1/events", "-f", "after=oldest", "-f", &format!("types={types}")]);
        let events = feed["data"].as_array().unwrap().clone();
        (events.len() >= 4).then_some(events)
    });
    let expected = texts(&feed);
    let mut sorted = expected.clone();
    sorted.sort();
    assert_eq!(sorted, ["four", "one", "three", "two"]);
    let verified = || {
        let all: Vec<Value> = receiver.received().iter().map(|each| each.verified(&secret)).collect();
        let mut texts = texts(&all);
        // Attempts before the receiver came back repeat the first event.
        texts.dedup();
        (all, texts)
    };
    eventually("all events", || (verified().1.len() >= expected.len()).then_some(()));
    let (all, texts) = verified();
    assert_eq!(texts, expected, "in order, and none twice");
    assert!(all.iter().all(|event| event["sequence"].is_null()), "the body is that of a delivery");
    assert_eq!(receiver.received()[0].header("webhook-id"), all[0]["id"].as_str().unwrap());
}

#[test]
#[ignore = "needs the local stack"]
fn a_killed_run_goes_on_where_it_ended() {
    let (user, _) = User::with_app("Checkpoints");
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw0Q";
    let user = user.set("MESSAGING_LISTEN_SECRET", secret);
    let receiver = Receiver::start(204);
    let arguments = ["--forward-to", &receiver.url, "--types", "messages.chat.received", "--checkpoint", "position"];
    let (mut running, said) = start(&user, &arguments);
    assert!(!said.lock().unwrap().contains("whsec_"), "a secret that was given is not printed");
    let position = || std::fs::read_to_string(user.home.path().join("position")).ok();
    let beginning = eventually("a position", position);
    write(&user, "before");
    eventually("the first", || receiver.received().first().cloned());
    eventually("its position", || (position()? != beginning).then_some(()));
    running.0.kill().unwrap();
    write(&user, "while nobody listened");
    let (_running, _) = start(&user, &arguments);
    eventually("the second", || (receiver.received().len() >= 2).then_some(()));
    let all: Vec<Value> = receiver.received().iter().map(|each| each.verified(secret)).collect();
    assert_eq!(texts(&all), ["before", "while nobody listened"]);
}

/// Lets `make test` end the stack, its functions included, and start it again with the same address and data: it is down as
/// long as a file exists. Returns when it runs again.
fn restart_the_stack(user: &User, meanwhile: impl FnOnce()) {
    let down = std::path::PathBuf::from(variable("STACK_DOWN"));
    let is_up = || std::net::TcpStream::connect(authority()).is_ok();
    std::fs::write(&down, "").unwrap();
    eventually("the end of the stack", || (!is_up()).then_some(()));
    meanwhile();
    std::fs::remove_file(&down).unwrap();
    eventually("the stack", || user.run(&["api", "GET", "/v1/events"]).status.success().then_some(()));
}

#[test]
#[ignore = "needs a local stack of its own, which it restarts"]
fn nothing_is_lost_in_a_restart_of_the_stack() {
    let (user, _) = User::with_app("Restarts");
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw0Q";
    let user = user.set("MESSAGING_LISTEN_SECRET", secret);
    let receiver = Receiver::start(204);
    let types = "messages.chat.received";
    let (mut running, said) = start(&user, &["--forward-to", &receiver.url, "--types", types]);
    write(&user, "long before");
    eventually("the first", || receiver.received().first().cloned());

    // The feed has the next event. Whether it is forwarded before the stack ends is a matter of luck.
    write(&user, "just before");
    eventually("the feed", || {
        let feed = user.json(&["api", "GET", "/v1/events", "-f", "after=oldest", "-f", &format!("types={types}")]);
        (feed["data"].as_array()?.len() == 2).then_some(())
    });
    restart_the_stack(&user, || {
        eventually("the notice", || said.lock().unwrap().contains("Retrying").then_some(()));
    });
    write(&user, "after");

    eventually("all events", || (receiver.received().len() >= 3).then_some(()));
    let all: Vec<Value> = receiver.received().iter().map(|each| each.verified(secret)).collect();
    assert_eq!(texts(&all), ["long before", "just before", "after"], "in order, and none twice");
    assert!(said.lock().unwrap().contains("The service responds again."), "the program noticed the restart");
    assert!(running.0.try_wait().unwrap().is_none(), "the same run goes on");
}

/// Events may be missing after the feed was off, so the run ends and says where the feed begins now.
#[test]
#[ignore = "needs the local stack"]
fn a_position_that_is_too_old_says_how_to_go_on() {
    let (user, app) = User::with_app("Old positions");
    let position = user.json(&["api", "GET", "/v1/events"])["nextAfter"].as_str().unwrap().to_owned();
    let switch = |on: &str| {
        user.json(&["api", "PATCH", &format!("/v1/organization/apps/{app}"), "-F", &format!("eventFeed={on}")]);
    };
    switch("false");
    assert!(user.fails(6, &["listen", "--since", &position]).contains("eventFeed=true"));
    switch("true");
    let said = user.fails(6, &["listen", "--since", &position]);
    let oldest = said.split("--since ").nth(1).unwrap().trim().to_owned();
    assert!(said.contains("Events may be missing") && oldest != position, "{said}");
    write(&user, "after the gap");
    let listen = ["listen", "--json", "--since", &oldest, "--types", "messages.chat.received", "--once", "--timeout"];
    let timeout = PATIENCE.as_secs().to_string();
    let seen: Value = serde_json::from_str(&user.text(&[&listen[..], &[timeout.as_str()]].concat())).unwrap();
    assert_eq!(texts(&[seen]), ["after the gap"]);
}

#[test]
#[ignore = "needs the local stack"]
fn a_program_decides_about_an_event() {
    let (user, app) = User::with_app("Programs");
    write(&user, "Is my parcel on its way?");
    let listen = |program: &str| {
        let types = "messages.chat.received";
        let timeout = PATIENCE.as_secs().to_string();
        user.run(&[
            "listen",
            "--json",
            "--since",
            "oldest",
            "--types",
            types,
            "--once",
            "--timeout",
            &timeout,
            "--exec",
            program,
        ])
    };
    let good = listen("cat > seen.json; test \"$MESSAGING_EVENT_TYPE\" = messages.chat.received");
    assert!(good.status.success(), "{good:?}");
    let seen: Value = serde_json::from_slice(&std::fs::read(user.home.path().join("seen.json")).unwrap()).unwrap();
    let printed: Value = serde_json::from_slice(&good.stdout).unwrap();
    assert_eq!((&seen["id"], &seen["data"]["textBody"]), (&printed["id"], &Value::from("Is my parcel on its way?")));
    assert!(printed["sequence"].as_u64().is_some());
    assert_eq!(listen("exit 42").status.code(), Some(42));

    assert!(user.fails(6, &["listen", "--once", "--timeout", "1"]).contains("No event within 1 s"));
    let json = ["listen", "--json", "--forward-to", "http://127.0.0.1:9/"];
    assert!(user.fails(2, &json).contains("MESSAGING_LISTEN_SECRET"), "the secret is not part of the JSON");
    user.json(&["api", "PATCH", &format!("/v1/organization/apps/{app}"), "-F", "eventFeed=false"]);
    assert!(user.fails(6, &["listen"]).contains("eventFeed=true"));
    assert!(user.fails(6, &["listen", "--app", &app]).contains(&app), "with the admin key, the remedy is complete");
}
