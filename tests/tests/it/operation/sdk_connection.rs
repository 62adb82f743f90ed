//! Tests the SDK's HTTP client with servers that close connections (docs/adr/0013-sdk-http-client.md).

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aws::Connection;
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::error::SdkError;

/// Responds to each connection with the next of these and then closes it. Counts the connections.
fn server(answers: &'static [&'static str]) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    std::thread::spawn(move || {
        for (stream, answer) in listener.incoming().zip(answers) {
            counted.fetch_add(1, Ordering::SeqCst);
            answer_once(stream.unwrap(), answer);
        }
    });
    (port, connections)
}

/// Reads a request, responds with this text and closes the connection. Returns the bytes that were read first.
fn answer_once(mut stream: TcpStream, answer: &str) -> Vec<u8> {
    let mut heard = vec![0; 16384];
    let count = stream.read(&mut heard).unwrap();
    stream.write_all(answer.as_bytes()).unwrap();
    // With a part of the request unread, closing would be a reset, with which the client can lose the response.
    stream.shutdown(Shutdown::Write).unwrap();
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
    heard.truncate(count);
    heard
}

fn client(url: String) -> aws_sdk_dynamodb::Client {
    let credentials = Credentials::new("test", "test", None, None, "test");
    Connection::new("us-east-1".to_owned(), credentials, Some(url)).unwrap().dynamodb()
}

async fn get(client: &aws_sdk_dynamodb::Client) -> Result<(), SdkError<impl std::fmt::Debug + use<>>> {
    client.get_item().table_name("table").send().await.map(|_| ())
}

const EMPTY: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 2\r\n\r\n{}";

#[tokio::test]
async fn a_broken_call_is_retried_on_another_connection() {
    const CUT: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 99\r\n\r\n{";
    for broken in
        [["", EMPTY], ["HTTP/1.1 2", EMPTY], [CUT, EMPTY], ["HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n", EMPTY]]
    {
        let (port, connections) = server(broken.to_vec().leak());
        get(&client(format!("http://127.0.0.1:{port}"))).await.unwrap();
        assert_eq!(connections.load(Ordering::SeqCst), 2, "{broken:?}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_a_dispatch_failure() {
    match get(&client("http://127.0.0.1:9".to_owned())).await.unwrap_err() {
        SdkError::DispatchFailure(failure) => assert!(failure.is_io(), "{failure:?}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_handshake_that_is_not_answered_ends_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let held: std::thread::JoinHandle<Vec<TcpStream>> =
        std::thread::spawn(move || listener.incoming().take(3).map(Result::unwrap).collect());
    let started = Instant::now();
    match get(&client(format!("https://127.0.0.1:{port}"))).await.unwrap_err() {
        SdkError::DispatchFailure(failure) => assert!(failure.is_timeout(), "{failure:?}"),
        other => panic!("{other:?}"),
    }
    // Three attempts of two seconds each, and the SDK's delays between them.
    assert!((6..30).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    assert_eq!(held.join().unwrap().len(), 3);
}

#[tokio::test]
async fn a_server_that_is_not_of_tls_hears_no_request() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let first =
        std::thread::spawn(move || answer_once(listener.accept().unwrap().0, "HTTP/1.1 400 Bad Request\r\n\r\n"));
    let failure =
        tokio::time::timeout(Duration::from_secs(20), get(&client(format!("https://127.0.0.1:{port}")))).await;
    assert!(matches!(failure.unwrap().unwrap_err(), SdkError::DispatchFailure(_)));
    const HANDSHAKE: u8 = 0x16;
    let heard = first.join().unwrap();
    assert_eq!(heard[0], HANDSHAKE, "{heard:?}");
    assert!(!heard.windows(7).any(|window| window == b"GetItem"), "{heard:?}");
}
