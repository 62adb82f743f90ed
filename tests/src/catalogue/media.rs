//! Files: their cases, and helpers that upload and download them.

use serde_json::{Value, json};

use super::Case;
use super::Policy::App;
use crate::request::{Call, text};
use crate::samples::{PDF, PNG};
use crate::world::Service;

const MEDIA: &str = "/v1/media";
const FILE: &str = "/v1/media/{mediaId}";
const UPLOADS: &str = "/v1/media/uploads";
const COMPLETE: &str = "/v1/media/{mediaId}/complete";

pub(super) async fn cases(service: &impl Service) -> Vec<Case> {
    let upload = Call::post(MEDIA).key(&service.org().app_key).file("a.png", Some("image/png"), PNG);
    let file = text(&service.send(upload).await.expect(201), "id");
    let pending = uploaded(service).await;
    let announced = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": 10});

    vec![
        Case::post(App, MEDIA, &[]).with(|call| call.file("b.png", Some("image/png"), PNG)).created(),
        Case::post(App, UPLOADS, &[]).json(&announced).created(),
        Case::post(App, COMPLETE, &[&pending]),
        Case::get(App, FILE, &[&file]),
        Case::delete(App, FILE, &[&file]),
    ]
}

/// Creates a direct upload and uploads its bytes, so that it can be completed. Returns its id.
pub async fn uploaded(service: &impl Service) -> String {
    let announced = json!({"fileName": "big.pdf", "mimeType": "application/pdf", "fileSize": PDF.len()});
    let upload = service.send(Call::post(UPLOADS).key(&service.org().app_key).json(&announced)).await.expect(201);
    put_bytes(&upload, PDF.to_vec()).await.unwrap();
    text(&upload, "id")
}

/// Uploads bytes as the response of `createUpload` says. `Err` is the status of the bucket's error response.
pub async fn put_bytes(upload: &Value, bytes: Vec<u8>) -> Result<(), u16> {
    let url = text(upload, "uploadUrl");
    let headers: Vec<(String, String)> = upload["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();

    tokio::task::spawn_blocking(move || {
        let mut request = ureq::put(&url);
        for (name, value) in headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length")) {
            request = request.header(name, value);
        }
        match request.send(&bytes[..]) {
            Ok(_) => Ok(()),
            Err(ureq::Error::StatusCode(status)) => Err(status),
            Err(other) => panic!("{other}"),
        }
    })
    .await
    .unwrap()
}

/// Gets a presigned URL. Returns the status, content type, content disposition and bytes.
pub async fn download(url: String) -> (u16, String, String, Vec<u8>) {
    tokio::task::spawn_blocking(move || {
        let agent = ureq::Agent::new_with_config(ureq::Agent::config_builder().http_status_as_error(false).build());
        let mut response = agent.get(&url).call().unwrap();
        let header =
            |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let (mime, disposition) = (header("content-type"), header("content-disposition"));
        (response.status().as_u16(), mime, disposition, response.body_mut().read_to_vec().unwrap())
    })
    .await
    .unwrap()
}
