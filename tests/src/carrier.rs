//! A stand-in for the carrier: an HTTP server in the test's process that holds an AWS account's numbers and opt-out lists,
//! and speaks the JSON protocol of the carrier's API.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use domain::identity::credential::hex;
use ring::digest::{SHA256, digest};
use ring::hmac;
use serde_json::{Value, json};

use crate::standin::{Misbehave, Seen, answer, read_request};

/// The topic to which linked numbers publish what they receive.
pub const TOPIC: &str = "arn:aws:sns:us-east-1:000000000000:carrier-inbound";

#[derive(Clone)]
pub struct CarrierAccount {
    pub url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub struct State {
    /// The account's numbers by the carrier's id, as the carrier describes them.
    pub numbers: BTreeMap<String, Value>,
    pub opt_out_lists: BTreeSet<String>,
    /// The received calls: operation and input.
    pub seen: Vec<(String, Value)>,
    /// Refusals of an operation: status, exception and message, with the number of times.
    pub refusals: Vec<(&'static str, u16, &'static str, u32)>,
    /// The received requests to send a message.
    pub sends: Vec<Sent>,
    /// Faults for the next requests to send, one each.
    pub faults: Vec<Misbehave>,
    /// How many numbers a page of the list has at most.
    pub page: Option<usize>,
}

impl CarrierAccount {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let account =
            CarrierAccount { url: format!("http://{}", listener.local_addr().unwrap()), state: Arc::default() };
        let server = account.clone();
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().flatten().enumerate() {
                let server = server.clone();
                thread::spawn(move || server.serve(connection, stream));
            }
        });
        account
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Adds a number to the account, as AWS describes a number that was just requested. Returns the carrier's id.
    pub fn buy(&self, number: &str, country: &str, capabilities: &[&str]) -> String {
        let id = format!("phone-{}", number.trim_start_matches('+'));
        let arn = format!("arn:aws:sms-voice:us-east-1:000000000000:phone-number/{id}");
        let described = json!({
            "PhoneNumberArn": arn, "PhoneNumberId": id, "PhoneNumber": number, "Status": "ACTIVE",
            "IsoCountryCode": country, "MessageType": "TRANSACTIONAL", "NumberCapabilities": capabilities,
            "NumberType": "LONG_CODE", "MonthlyLeasingPrice": "1.00", "TwoWayEnabled": false,
            "SelfManagedOptOutsEnabled": false, "OptOutListName": "Default", "InternationalSendingEnabled": false,
            "DeletionProtectionEnabled": false, "CreatedTimestamp": 1_790_000_000.5,
        });
        self.state().numbers.insert(id.clone(), described);
        id
    }

    /// The number with this id, as the carrier describes it.
    pub fn number(&self, id: &str) -> Value {
        self.state().numbers[id].clone()
    }

    /// The received calls of an operation.
    pub fn seen(&self, operation: &str) -> Vec<Value> {
        self.state().seen.iter().filter(|(name, _)| name == operation).map(|(_, input)| input.clone()).collect()
    }

    fn serve(&self, connection: usize, mut stream: TcpStream) {
        while let Some(seen) = read_request(&mut stream) {
            let target = seen.headers.get("x-amz-target").cloned().unwrap_or_default();
            let fault = self.note_send(connection, &target, &seen);
            let respond = || {
                let (status, body) = self.respond(&target, &seen.json());
                (status, body.to_string().into_bytes())
            };
            let (status, body) = match fault {
                Some(Misbehave::Status(status, body)) => (status, body.into_bytes()),
                Some(Misbehave::Slow(by)) => {
                    thread::sleep(by);
                    return;
                }
                Some(Misbehave::CutOff) => {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"MessageId\":");
                    return;
                }
                Some(Misbehave::Held(gate, None)) => {
                    gate.pass();
                    respond()
                }
                Some(_) => return,
                None => respond(),
            };
            if !answer(&mut stream, &(status, body)) {
                return;
            }
        }
    }

    /// Records a request to send a message, and returns the fault to inject.
    fn note_send(&self, connection: usize, target: &str, seen: &Seen) -> Option<Misbehave> {
        let operation = target.strip_prefix("PinpointSMSVoiceV2.Send")?.to_owned();
        let state = &mut *self.state();
        let fault = (!state.faults.is_empty()).then(|| state.faults.remove(0));
        let is_signed = is_signed(seen);
        state.sends.push(Sent { connection, operation, input: seen.json(), is_signed, retries: retries(seen) });
        fault
    }

    fn respond(&self, target: &str, input: &Value) -> (u16, Value) {
        let Some(operation) = target.strip_prefix("PinpointSMSVoiceV2.") else {
            return refused(400, "UnknownOperationException");
        };
        let state = &mut *self.state();
        state.seen.push((operation.to_owned(), input.clone()));
        let refusal = state.refusals.iter_mut().find(|(name, .., times)| *name == operation && *times > 0);
        if let Some((_, status, exception, times)) = refusal {
            *times -= 1;
            return refused(*status, exception);
        }
        match operation {
            "DescribePhoneNumbers" => state.describe(input),
            "CreateOptOutList" => {
                let name = input["OptOutListName"].as_str().unwrap();
                let is_new = state.opt_out_lists.insert(name.to_owned());
                if is_new { (200, json!({"OptOutListName": name})) } else { refused(400, "ConflictException") }
            }
            "UpdatePhoneNumber" => state.update(input),
            "SendTextMessage" | "SendMediaMessage" => {
                (200, json!({"MessageId": format!("carrier-{}", state.sends.len())}))
            }
            _ => refused(400, "UnknownOperationException"),
        }
    }
}

/// A request to send a message.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Counts the connections of the stand-in.
    pub connection: usize,
    /// `TextMessage` or `MediaMessage`.
    pub operation: String,
    pub input: Value,
    /// Whether the signature is that of the installation's credentials.
    pub is_signed: bool,
    /// What the SDK says of its attempts.
    pub retries: String,
}

fn retries(seen: &Seen) -> String {
    seen.headers.get("amz-sdk-request").cloned().unwrap_or_default()
}

/// Whether the Signature Version 4 of a request is right: computed again from the request and the secret of the tests'
/// credentials.
fn is_signed(seen: &Seen) -> bool {
    let header = |name: &str| seen.headers.get(name).cloned().unwrap_or_default();
    let authorization = header("authorization");
    let part = |name: &str| {
        let rest = authorization.split_once(&format!("{name}=")).map_or("", |(_, rest)| rest);
        rest.split(',').next().unwrap_or_default().to_owned()
    };
    let (credential, names, signature) = (part("Credential"), part("SignedHeaders"), part("Signature"));
    let scope = credential.split_once('/').map_or("", |(_, scope)| scope).to_owned();
    let steps: Vec<&str> = scope.split('/').collect();
    if steps.len() != 4 || steps[1..] != ["us-east-1", "sms-voice", "aws4_request"] {
        return false;
    }
    let headers: String = names.split(';').map(|name| format!("{name}:{}\n", header(name).trim())).collect();
    let hash = |bytes: &[u8]| hex(digest(&SHA256, bytes).as_ref());
    let canonical = format!("{}\n{}\n\n{headers}\n{names}\n{}", seen.method, seen.path, hash(&seen.body));
    let text = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{}", header("x-amz-date"), hash(canonical.as_bytes()));
    let keyed =
        |key: &[u8], text: &str| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec();
    let key = steps.iter().fold(b"AWS4test".to_vec(), |key, step| keyed(&key, step));
    ["host", "x-amz-date", "x-amz-target"].iter().all(|name| names.split(';').any(|signed| signed == *name))
        && hex(&keyed(&key, &text)) == signature
}

impl State {
    fn describe(&self, input: &Value) -> (u16, Value) {
        if let Some(ids) = input["PhoneNumberIds"].as_array() {
            let found: Option<Vec<_>> = ids.iter().map(|id| self.numbers.get(id.as_str().unwrap())).collect();
            return match found {
                Some(found) => (200, json!({"PhoneNumbers": found})),
                None => refused(400, "ResourceNotFoundException"),
            };
        }
        let start: usize = input["NextToken"].as_str().map_or(0, |token| token.parse().unwrap());
        let asked = usize::try_from(input["MaxResults"].as_u64().unwrap_or(10)).unwrap();
        let page: Vec<_> = self.numbers.values().skip(start).take(asked.min(self.page.unwrap_or(100))).collect();
        let end = start + page.len();
        let mut output = json!({"PhoneNumbers": page});
        if end < self.numbers.len() {
            output["NextToken"] = json!(end.to_string());
        }
        (200, output)
    }

    fn update(&mut self, input: &Value) -> (u16, Value) {
        let list = input["OptOutListName"].as_str().unwrap_or("Default");
        if list != "Default" && !self.opt_out_lists.contains(list) {
            return refused(400, "ResourceNotFoundException");
        }
        let Some(number) = self.numbers.get_mut(input["PhoneNumberId"].as_str().unwrap()) else {
            return refused(400, "ResourceNotFoundException");
        };
        if number.get("PoolId").is_some() {
            return refused(400, "ConflictException");
        }
        for name in ["TwoWayEnabled", "TwoWayChannelArn", "SelfManagedOptOutsEnabled", "OptOutListName"] {
            if !input[name].is_null() {
                number[name] = input[name].clone();
            }
        }
        (200, number.clone())
    }
}

fn refused(status: u16, exception: &str) -> (u16, Value) {
    (status, json!({"__type": exception, "Message": format!("{exception} of the stand-in")}))
}
