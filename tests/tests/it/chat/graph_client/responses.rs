//! Responses: words of the platform, pages, and media.

use domain::ErrorCode;
use platform::{MediaTransfer as _, NumberManagement as _};
use serde_json::json;
use tests::standin::{Misbehave, number};

use super::{Client, code};

/// The platform has more status values than the specification.
#[tokio::test]
async fn reviews_of_names_are_described_in_our_words() {
    let client = Client::new().await;

    for (told, shown) in [
        ("AVAILABLE_WITHOUT_REVIEW", Some("APPROVED")),
        ("APPROVED", Some("APPROVED")),
        ("DECLINED", Some("REJECTED")),
        ("EXPIRED", Some("REJECTED")),
        ("PENDING_REVIEW", Some("PENDING")),
        ("NONE", None),
    ] {
        client.platform.state().accounts.get_mut("1001").unwrap().numbers[0]["name_status"] = json!(told);
        let numbers = client.graph.phone_numbers(&client.token, "1001").await.unwrap();
        let known = numbers[0].name_status.as_ref().map(|status| status.known().unwrap().as_str());
        assert_eq!(known, shown, "{told}");
    }

    client.platform.state().accounts.get_mut("1001").unwrap().numbers[0]["name_status"] = json!("NOVEL");
    let numbers = client.graph.phone_numbers(&client.token, "1001").await.unwrap();
    assert_eq!(numbers[0].name_status, Some(domain::Open::Later("NOVEL".to_owned())));
}

#[tokio::test]
async fn pages_are_followed_by_their_cursor_until_there_is_no_next() {
    let client = Client::new().await;
    let many: Vec<_> = (0..250).map(|n| number(&format!("{n}"), &format!("+1201555{n:04}"))).collect();
    client.platform.state().accounts.get_mut("1001").unwrap().numbers = many;

    let numbers = client.graph.phone_numbers(&client.token, "1001").await.unwrap();
    assert_eq!((numbers.len(), client.platform.seen("phone_numbers").len()), (250, 3));

    // A repeated cursor would cause an endless loop.
    let page = json!({"data": [], "paging": {"cursors": {"after": "same"}, "next": "https://elsewhere.example"}});
    client.platform.misbehave("phone_numbers", Misbehave::Status(200, page.to_string()), 10);
    let circles = client.graph.phone_numbers(&client.token, "1001").await.unwrap_err();
    assert_eq!(code(circles), (502, Some(ErrorCode::PlatformApiError)));
}

/// The business token is sent only to the platform.
#[tokio::test]
async fn media_come_from_the_platforms_hosts_only() {
    let client = Client::new().await;
    client.platform.state().media.insert("77".to_owned(), b"bytes".to_vec());

    let place = client.graph.media(&client.token, "77").await.unwrap();
    let download = client.graph.download(&client.token, &place.url, 100).await.unwrap();
    assert_eq!((download.size, std::fs::read(download.file.path()).unwrap()), (5, b"bytes".to_vec()));

    let agents: Vec<_> = client.platform.seen("").iter().map(|seen| seen.headers.get("user-agent").cloned()).collect();
    let agent = concat!("messaging-api/", env!("CARGO_PKG_VERSION"));
    assert!(agents.len() >= 2 && agents.iter().all(|sent| sent.as_deref() == Some(agent)), "{agents:?}");

    let too_large = client.graph.download(&client.token, &place.url, 4).await.map(|_| ()).unwrap_err();
    assert_eq!(code(too_large).0, 422);

    let before = client.platform.state().seen.len();
    for url in [
        "https://example.com/x",
        "http://lookaside.fbsbx.com/x",
        "https://evilfbsbx.com/x",
        "https://fbsbx.com.evil.example/x",
        "https://lookaside.fbsbx.com:8443/x",
        "file:///etc/passwd",
        "http://127.0.0.1:9/x",
        "",
    ] {
        let refused = client.graph.download(&client.token, url, 100).await.map(|_| ()).unwrap_err();
        assert_eq!(code(refused).0, 502, "{url}");
    }
    assert_eq!(client.platform.state().seen.len(), before);
}
