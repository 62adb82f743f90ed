//! A table of requests that are rejected (rejections.json): the parameter that the failure names, the part of its
//! message with the allowed values or the remedy, and the request.

use domain::{ErrorCode, ErrorKind};
use sending::messages::SendChatMessage;
use serde_json::{Value, json};

use crate::kit::{accepted, read};

#[test]
fn each_reason_to_reject_a_request_names_the_parameter_and_what_is_allowed() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("rejections.json")).unwrap();
    for row in rows {
        let (param, says) = (row["param"].as_str().unwrap(), row["says"].as_str().unwrap());
        let failure = read(&row["sent"]).expect_err(param);
        let expected = (ErrorKind::InvalidRequest, Some(param));
        assert_eq!((failure.kind(), failure.param()), expected, "{row}: {}", failure.message());
        assert!(failure.message().contains(says), "{row}: {}", failure.message());
    }
}

#[test]
fn a_message_needs_a_recipient() {
    let sent = json!({"from": "+12015550123", "type": "text", "text": {"body": "b"}});
    let failure = serde_json::from_value::<SendChatMessage>(sent).unwrap().checked().expect_err("to");
    assert_eq!((failure.kind(), failure.param()), (ErrorKind::InvalidRequest, Some("to")));
    assert!(failure.message().contains("toUserId or groupId"), "{}", failure.message());
}

#[test]
fn codes_of_rejections() {
    for (code, request) in [
        ("unsupported_message_type", json!({"type": "poll"})),
        ("invalid_phone_number", json!({"type": "text", "text": {"body": "b"}, "to": "1"})),
        ("invalid_phone_number", json!({"type": "text", "text": {"body": "b"}, "from": "x"})),
    ] {
        let failure = read(&request).expect_err(code);
        assert_eq!(failure.code().map(ErrorCode::as_str), Some(code));
    }
}

#[test]
fn data_of_a_flow_is_the_callers_own() {
    accepted(&json!({"type": "raw", "raw": {"type": "interactive", "interactive": {"action": {"parameters":
        {"flow_action_payload": {"data": {"image": {"id": "own"}}}}}}}}));
}
