//! Members, signing in, and sessions.

use messaging_client::queries::PageQuery;
use messaging_client::types::{CreateMember, CreateSessionKey, SwitchSession, UpdateMember, UseLink};
use serde_json::{from_value, json};

use crate::recorder::{Stack, unique};

pub(crate) async fn people(stack: &Stack) {
    let members = stack.admin.organization().members();
    let email = format!("of-rust-{}@example.com", unique());
    let wanted: CreateMember = from_value(json!({"email": email, "role": "SUPPORT"})).unwrap();
    let member = members.create(&wanted).await.unwrap();
    assert!(!members.list(&PageQuery::default()).await.unwrap().data.is_empty());
    assert_eq!(members.get(&member.id).await.unwrap().email, email);
    let named: UpdateMember = from_value(json!({"name": "Ann"})).unwrap();
    assert_eq!(members.update(&member.id, &named).await.unwrap().name.as_deref(), Some("Ann"));

    let link = members.create_sign_in_link(&member.id).await.unwrap();
    let token = link.url.split_once('#').unwrap().1.to_owned();
    let with_link = stack.recorder.client(&token);
    assert_eq!(with_link.sign_in().link().get().await.unwrap().email, email);
    let wanted: UseLink = from_value(json!({"token": token, "as": "bearer"})).unwrap();
    let begun = with_link.sign_in().link().redeem(&wanted).await.unwrap();
    let session = stack.recorder.client(begun.session_token.as_deref().unwrap());
    assert_eq!(session.session().get().await.unwrap().member.email, email);
    let wanted: CreateSessionKey = from_value(json!({"mode": "test"})).unwrap();
    assert!(!session.session().create_key(&wanted).await.unwrap().key.is_empty());
    let wanted: SwitchSession = from_value(json!({"memberId": member.id})).unwrap();
    let switched = session.session().switch(&wanted).await.unwrap();
    let session = stack.recorder.client(switched.session_token.as_deref().unwrap());
    session.session().delete().await.unwrap();
    members.delete(&member.id, &Default::default()).await.unwrap();
}
