//! Each row of the table of requests (functions/sending/tests/it/bodies), sent through the API: the platform gets exactly the
//! documented body, and the contract allows the request.

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::samples::{PDF, PNG};
use tests::{Call, Service as _, World};

const SEND: &str = "/v1/chat/messages";

macro_rules! tables {
    ($($name:literal)+) => {
        [$(($name, include_str!(concat!("../../../../functions/sending/tests/it/bodies/", $name, ".json")))),+]
    };
}

/// What the rows call an object, and what it is called in this world.
type Names = Vec<(String, String)>;

/// Makes the objects that the rows name: a medium of each kind, a message and a group.
async fn names(world: &World, line: &Line) -> Names {
    let mut names = Names::new();
    let files: [(&str, &str, &[u8]); 5] = [
        ("image", "image/png", PNG),
        ("video", "video/mp4", b"\0\0\0\x18ftypmp42\0\0\0\0"),
        (
            "audio",
            "audio/ogg",
            b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead\0\0\0\0\0\0\0\0\0\0\0",
        ),
        ("document", "application/pdf", PDF),
        ("sticker", "image/webp", b"RIFF\x24\0\0\0WEBPVP8 "),
    ];
    for (kind, mime, content) in files {
        let upload = Call::post("/v1/media").key(&line.org.app_key).file("file", Some(mime), content);
        let id = text(&world.send(upload).await.expect(201), "id");
        names.push((format!("media_{kind:0<27}"), id));
    }
    let hello = json!({"from": line.number, "to": "+12015550199", "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post(SEND).key(&line.org.app_key).json(&hello)).await.expect(201);
    // The longer names first: they contain the shorter ones.
    names.push(("wamid.of.msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned(), text(&sent, "providerMessageId")));
    names.push(("msg_wa_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned(), text(&sent, "id")));
    let group = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    let group = world.send(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&group)).await.expect(201);
    let made = json!({"type": "group_create", "timestamp": "2000000000", "request_id": "request-1", "group_id": "Z3JvdXA=", "subject": "Friends"});
    world.notify(&line.about("group_lifecycle_update", &json!({"groups": [made]}))).await.expect(200);
    names.push(("group.of.grp_wa_abc".to_owned(), "Z3JvdXA=".to_owned()));
    names.push(("grp_wa_abc".to_owned(), text(&group, "id")));
    names
}

fn renamed(value: &Value, names: &Names) -> Value {
    let text = names.iter().fold(value.to_string(), |text, (row, own)| text.replace(row, own));
    serde_json::from_str(&text).unwrap()
}

/// Replaces each presigned URL by the one that the rows show.
fn without_signatures(value: &mut Value, names: &Names) {
    match value {
        Value::String(text) if text.contains("X-Amz-Signature") => {
            let (_, id) = names.iter().find(|(_, own)| text.contains(own.as_str())).unwrap();
            *text = format!("https://bucket.example.com/{id}");
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| without_signatures(entry, names)),
        Value::Object(fields) => fields.values_mut().for_each(|field| without_signatures(field, names)),
        _ => {}
    }
}

#[tokio::test]
async fn the_platform_gets_the_documented_body_of_each_type() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2801").await;
    let names = names(&world, &line).await;
    let mut tried = 0;
    for (table, rows) in tables!("simple" "media" "interactive" "templates" "raw" "recipients") {
        for row in serde_json::from_str::<Vec<Value>>(rows).unwrap() {
            let case = format!("{table}: {}", text(&row, "case"));
            let mut request = renamed(&row["sent"], &names);
            request["from"] = json!(line.number);
            let to_anyone = ["to", "toUserId", "groupId"].iter().all(|name| request[name].is_null());
            if to_anyone {
                request["to"] = json!("+12015550199");
            }
            let is_queued = request["queue"] == true;
            let before = world.platform.seen("/messages").len();
            let reply = world.send(Call::post(SEND).key(&line.org.app_key).json(&request)).await;
            assert_eq!(reply.status.as_u16(), if is_queued { 202 } else { 201 }, "{case}: {reply:?}");
            while is_queued && world.send_queued().await {}
            let seen = world.platform.seen("/messages");
            assert_eq!(seen.len(), before + 1, "{case}");
            let mut body = seen[before].json();
            without_signatures(&mut body, &names);
            let mut expected = json!({"messaging_product": "whatsapp", "recipient_type": "individual",
                "biz_opaque_callback_data": format!("{}:{}", line.org.id, text(&reply.json(), "id"))});
            if to_anyone {
                expected["to"] = json!("+12015550199");
            }
            expected.as_object_mut().unwrap().extend(renamed(&row["body"], &names).as_object().unwrap().clone());
            assert_eq!(body, expected, "{case}");
            tried += 1;
        }
    }
    assert_eq!(tried, 103);
}
