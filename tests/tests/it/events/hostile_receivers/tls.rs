//! TLS: nothing is sent before the receiver has proved who it is.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use delivery::ReceiverResponse;
use http::HeaderMap;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection};
use tests::receiver::plain;

use super::{Names, local, poster};

/// Starts a server for one connection. Returns its port and its result.
fn server<T: Send + 'static>(serve: impl FnOnce(TcpStream) -> T + Send + 'static) -> (u16, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (port, thread::spawn(move || serve(listener.accept().unwrap().0)))
}

/// Posts to this port of the loopback address with TLS, under a name that resolves to it.
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
