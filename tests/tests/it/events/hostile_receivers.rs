//! Receivers that a webhook must not be able to reach, and receivers that misbehave.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use delivery::{Addresses, Poster, ReceiverResponse, Resolver};
use domain::webhook::AddressPolicy;
use http::HeaderMap;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection};
use tests::receiver::{Answer, Receiver, plain};

/// A resolver with configured results; each lookup of a name returns its next result.
#[derive(Default)]
struct Names(Mutex<Vec<Name>>, AtomicUsize);

/// A name with the results of successive lookups.
type Name = (&'static str, Vec<Vec<&'static str>>);

impl Names {
    fn of(names: Vec<Name>) -> Arc<Self> {
        Arc::new(Names(Mutex::new(names), AtomicUsize::new(0)))
    }
}

impl Resolver for Names {
    fn resolve(&self, name: String) -> Addresses {
        self.1.fetch_add(1, Ordering::SeqCst);
        let mut names = self.0.lock().unwrap();
        let found = names
            .iter_mut()
            .find(|(known, _)| *known == name)
            .map(|(_, answers)| if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() });
        let found: io::Result<Vec<IpAddr>> = match found {
            None => Err(io::Error::other("no such name")),
            Some(found) => Ok(found.into_iter().map(|address| address.parse().unwrap()).collect()),
        };
        Box::pin(async move { found })
    }
}

fn deployed() -> AddressPolicy {
    AddressPolicy { own: vec![("api.example.com".to_owned(), None)], allow_local: false }
}

fn local() -> AddressPolicy {
    AddressPolicy { own: Vec::new(), allow_local: true }
}

fn poster(names: Arc<Names>, policy: AddressPolicy) -> Poster {
    Poster::new(names, policy, Duration::from_secs(5)).unwrap()
}

#[tokio::test]
async fn hostile_addresses_are_never_connected_to() {
    let names = Names::of(vec![
        ("inside.example.com", vec![vec!["10.0.0.1"]]),
        ("loopback.example.com", vec![vec!["127.0.0.1"]]),
        ("metadata.example.com", vec![vec!["169.254.169.254"]]),
        ("mixed.example.com", vec![vec!["93.184.216.34", "127.0.0.1"]]),
        ("mapped.example.com", vec![vec!["::ffff:127.0.0.1"]]),
        ("nat64.example.com", vec![vec!["64:ff9b::7f00:1"]]),
        ("compatible.example.com", vec![vec!["::127.0.0.1"]]),
        ("unique-local.example.com", vec![vec!["fd00::1"]]),
        ("link-local.example.com", vec![vec!["fe80::1"]]),
        ("nowhere.example.com", vec![vec![]]),
    ]);
    let poster = poster(names, deployed());
    for url in [
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://0.0.0.0/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[fd00:ec2::254]/",
        "https://10.1.2.3/",
        "https://192.168.0.1/",
        "https://172.16.0.1/",
        "https://100.64.0.1/",
        "https://localhost/",
        "https://a.localhost/",
        "https://inside.example.com/",
        "https://loopback.example.com/",
        "https://metadata.example.com/",
        "https://mixed.example.com/",
        "https://mapped.example.com/",
        "https://nat64.example.com/",
        "https://compatible.example.com/",
        "https://unique-local.example.com/",
        "https://link-local.example.com/",
        "https://nowhere.example.com/",
        "https://unknown.example.com/",
        "https://api.example.com/v1/media",
        "http://example.com/",
        "https://example.com:22/",
        "https://user:pw@example.com/",
        "ftp://example.com/",
        "nonsense",
    ] {
        let started = Instant::now();
        let refused = poster.post(url, HeaderMap::new(), "{}".into()).await.unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(5), "{url} was connected to: {refused}");
        assert!(!refused.contains("within 15 seconds") && !refused.contains("connection"), "{url}: {refused}");
    }
}

/// The connection uses the validated address: the name is resolved only once.
#[tokio::test]
async fn a_name_that_changes_between_check_and_connect_changes_nothing() {
    let receiver = Receiver::start(tests::receiver::status(200));
    let port = receiver.url.split(':').nth(2).unwrap().split('/').next().unwrap().to_owned();
    let names = Names::of(vec![("rebinding.example.com", vec![vec!["127.0.0.1"], vec!["10.0.0.1"]])]);
    let poster = poster(names.clone(), local());
    let url = format!("http://rebinding.example.com:{port}/");
    poster.post(&url, HeaderMap::new(), "{}".into()).await.unwrap();
    assert_eq!(names.1.load(Ordering::SeqCst), 1);
    assert_eq!(receiver.got()[0].headers["host"], format!("rebinding.example.com:{port}"));
    // The second lookup returns another address, which is validated again.
    poster.post(&url, HeaderMap::new(), "{}".into()).await.unwrap_err();
    assert_eq!(receiver.got().len(), 1);
}

fn answering(pause: Duration, bytes: Vec<u8>) -> Receiver {
    let answer: Answer = Arc::new(move |_, _| (pause, bytes.clone()));
    Receiver::start(answer)
}

async fn post(receiver: &Receiver) -> (Result<(u16, String), &'static str>, Duration) {
    let started = Instant::now();
    let posted = poster(Names::of(Vec::new()), local()).post(&receiver.url, HeaderMap::new(), "{}".into()).await;
    let complete = |response: ReceiverResponse| (!response.is_incomplete).then_some((response.status, response.body));
    (posted.and_then(|response| complete(response).ok_or("The response ended early.")), started.elapsed())
}

#[tokio::test]
async fn redirects_are_answers_and_lead_nowhere() {
    let target = Receiver::start(tests::receiver::status(200));
    for location in [target.url.as_str(), "http://169.254.169.254/latest/meta-data/"] {
        let answer = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let receiver = answering(Duration::ZERO, answer.into_bytes());
        assert_eq!(post(&receiver).await.0, Ok((307, String::new())));
    }
    assert!(target.got().is_empty());
}

#[tokio::test]
async fn posts_reach_their_receiver() {
    let receiver = Receiver::start(tests::receiver::status(200));
    assert_eq!(post(&receiver).await.0, Ok((200, "said".to_owned())));
}

/// Runs the test above in a process whose environment names proxies that do not exist.
#[test]
fn a_proxy_in_the_environment_is_not_asked() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "events::hostile_receivers::posts_reach_their_receiver"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
async fn slow_heads_and_bodies_end_with_the_deadline() {
    let slow_head = answering(Duration::from_secs(20), plain(200, "late"));
    let slow_body = answering(Duration::ZERO, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this".to_vec());
    let chunk_without_end =
        answering(Duration::ZERO, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nx".to_vec());
    for receiver in [slow_head, slow_body, chunk_without_end] {
        let (posted, took) = post(&receiver).await;
        assert!(posted.is_err(), "{posted:?}");
        assert!(took < Duration::from_secs(9), "{took:?}");
    }
}

/// A name whose lookup never ends.
struct Endless;

impl Resolver for Endless {
    fn resolve(&self, _name: String) -> Addresses {
        Box::pin(std::future::pending())
    }
}

/// The deadline of fifteen seconds covers the lookup and everything after it.
#[tokio::test]
async fn a_name_that_does_not_resolve_ends_with_the_deadline() {
    assert_eq!(delivery::DEADLINE, Duration::from_secs(15));
    let poster = Poster::new(Arc::new(Endless), local(), Duration::from_millis(300)).unwrap();
    let posted = poster.post("https://endless.example.com/", HeaderMap::new(), "{}".into());
    let refused = tokio::time::timeout(Duration::from_secs(5), posted).await.unwrap().unwrap_err();
    assert_eq!(refused, "No complete response within 15 seconds.");
}

#[tokio::test]
async fn no_more_than_a_kib_of_an_answer_is_read() {
    // A gzip bomb is not decompressed.
    let mut bomb = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100000000\r\n\r\n\x1f\x8b".to_vec();
    bomb.resize(3_000_000, b'a');
    let (posted, took) = post(&answering(Duration::ZERO, bomb)).await;
    let (status, body) = posted.unwrap();
    assert_eq!(status, 200);
    assert!(body.len() <= 1030, "{}", body.len());
    assert!(took < Duration::from_secs(4), "{took:?}");
    for garbage in [&b"SSH-2.0-OpenSSH\r\n"[..], b"", b"HTTP/1.1 abc\r\n\r\n"] {
        assert!(post(&answering(Duration::ZERO, garbage.to_vec())).await.0.is_err());
    }
    let endless_head = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"X-A: b\r\n".repeat(100_000)].concat();
    assert!(post(&answering(Duration::ZERO, endless_head)).await.0.is_err());
}

/// Starts a server for one connection. Returns its port and its result.
fn server<T: Send + 'static>(serve: impl FnOnce(TcpStream) -> T + Send + 'static) -> (u16, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (port, thread::spawn(move || serve(listener.accept().unwrap().0)))
}

async fn post_with_tls(port: u16) -> Result<ReceiverResponse, &'static str> {
    let names = Names::of(vec![("receiver.example.com", vec![vec!["127.0.0.1"]])]);
    let url = format!("https://receiver.example.com:{port}/");
    poster(names, local()).post(&url, HeaderMap::new(), "what nobody else may read".into()).await
}

#[tokio::test]
async fn tls_asks_for_the_host_of_the_address_and_says_nothing_before() {
    let (port, said) = server(|mut stream| {
        let mut said = vec![0; 4096];
        let read = stream.read(&mut said).unwrap();
        stream.write_all(&plain(200, "")).unwrap();
        said.truncate(read);
        said
    });
    assert_eq!(post_with_tls(port).await.map(|_| ()), Err("The TLS handshake failed."));
    let said = said.join().unwrap();
    let says = |text: &str| said.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(says("receiver.example.com") && !says("POST") && !says("nobody"), "{said:?}");
}

/// Encodes one DER value of less than 64 KiB.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let [high, low] = u16::try_from(content.len()).unwrap().to_be_bytes();
    let head = match content.len() {
        ..128 => vec![tag, low],
        128..256 => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    [head, content].concat()
}

/// A self-signed certificate for this name.
fn self_signed(name: &str, key: &Ed25519KeyPair) -> Vec<u8> {
    let algorithm = der(0x30, &[&[0x06, 3, 0x2b, 0x65, 0x70]]);
    let nobody = der(0x30, &[]);
    let validity = der(0x30, &[&der(0x17, &[b"250101000000Z"]), &der(0x17, &[b"491231235959Z"])]);
    let public_key = der(0x30, &[&algorithm, &der(0x03, &[&[0], key.public_key().as_ref()])]);
    let names = der(0x04, &[&der(0x30, &[&der(0x82, &[name.as_bytes()])])]);
    let extensions = der(0xa3, &[&der(0x30, &[&der(0x30, &[&[0x06, 3, 0x55, 0x1d, 0x11], &names])])]);
    let (version, serial) = (der(0xa0, &[&[0x02, 1, 2]]), [0x02, 1, 1]);
    let signed = der(0x30, &[&version, &serial, &algorithm, &nobody, &validity, &nobody, &public_key, &extensions]);
    let signature = der(0x03, &[&[0], key.sign(&signed).as_ref()]);
    der(0x30, &[&signed, &algorithm, &signature])
}

#[tokio::test]
async fn a_certificate_that_anybody_can_make_is_not_believed() {
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let certificate = self_signed("receiver.example.com", &Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivatePkcs8KeyDer::from(pkcs8.as_ref().to_vec()).into();
    let config = config.with_no_client_auth().with_single_cert(vec![certificate.into()], key).unwrap();
    let (port, told) = server(|mut stream| {
        let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
        while connection.is_handshaking() {
            if let Err(error) = connection.complete_io(&mut stream) {
                return error.to_string();
            }
        }
        "it was believed".to_owned()
    });
    assert_eq!(post_with_tls(port).await.map(|_| ()), Err("The TLS handshake failed."));
    // The certificate is valid in every other way.
    assert_eq!(told.join().unwrap(), "received fatal alert: UnknownCA");
}
