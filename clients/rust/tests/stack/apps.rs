//! The organization, its keys, apps and numbers.

use messaging_client::queries::{OrganizationAuditLogListQuery, PageQuery};
use messaging_client::types::{
    CreateAdminKey, CreateApp, CreateAppKey, CreatePhoneNumber, RotateKey, SetCallingConfiguration, SetRateCard,
    UpdateApp, UpdateKey, UpdateOrganizationSettings,
};

use crate::recorder::{Stack, unique};

const NAME: &str = "Of Rust";

pub(crate) async fn organization(stack: &Stack) {
    let organization = stack.admin.organization();
    let settings = organization.settings().get().await.unwrap();
    let same = UpdateOrganizationSettings { name: Some(settings.value.name), ..Default::default() };
    organization.settings().update(&same).await.unwrap();
    let card = organization.rate_card().get().await.unwrap().value;
    let same = SetRateCard { currency: "EUR".to_owned(), prices: card.prices };
    organization.rate_card().update(&same).await.unwrap();

    let wanted = CreateAdminKey { name: NAME.to_owned(), ..Default::default() };
    let key = organization.admin_keys().create(&wanted).await.unwrap();
    assert!(!organization.admin_keys().list(&PageQuery::default()).await.unwrap().data.is_empty());
    let renamed = UpdateKey { name: Some("Renamed".to_owned()), allowed_ips: Some(None), ..Default::default() };
    assert_eq!(organization.admin_keys().update(&key.id, &renamed).await.unwrap().name, "Renamed");
    let rotated = organization.admin_keys().rotate(&key.id, &RotateKey::default()).await.unwrap();
    assert_ne!(rotated.key, key.key);
    organization.admin_keys().delete(&key.id).await.unwrap();
    let of_key = OrganizationAuditLogListQuery { target: Some(key.id.clone()), ..Default::default() };
    let log = organization.audit_log().list(&of_key).await.unwrap();
    assert_eq!(log.data[0].action, "organization.adminKeys.delete");

    let apps = organization.apps();
    apps.list(&PageQuery::default()).await.unwrap();
    let wanted = CreateApp { name: NAME.to_owned(), test: Some(true), ..Default::default() };
    let app = apps.create(&wanted).await.unwrap();
    apps.get(&app.id).await.unwrap();
    let renamed = UpdateApp { name: Some("Renamed".to_owned()), ..Default::default() };
    assert_eq!(apps.update(&app.id, &renamed).await.unwrap().name, "Renamed");
    let calling = SetCallingConfiguration { voicemail_enabled: Some(true), ..Default::default() };
    apps.calling().update(&app.id, &calling).await.unwrap();
    assert_eq!(apps.calling().get(&app.id).await.unwrap().raw["voicemailEnabled"], true);

    let own = apps.keys().create(&app.id, &CreateAppKey::default()).await.unwrap();
    apps.keys().list(&app.id, &PageQuery::default()).await.unwrap();
    let forever = UpdateKey { expires_at: Some(None), ..Default::default() };
    apps.keys().update(&app.id, &own.id, &forever).await.unwrap();
    apps.keys().rotate(&app.id, &own.id, &RotateKey { grace_period_seconds: Some(0) }).await.unwrap();
    apps.keys().delete(&app.id, &own.id).await.unwrap();
    numbers(stack).await;
    apps.delete(&app.id).await.unwrap();
}

async fn numbers(stack: &Stack) {
    let (numbers, app) = (stack.admin.organization().phone_numbers(), &stack.app_id);
    let digits = unique().to_string();
    let number = format!("+4930{}", &digits[digits.len() - 9..]);
    let made = numbers.create(&CreatePhoneNumber { number, test: Some(true), ..Default::default() }).await.unwrap();
    numbers.list(&PageQuery::default()).await.unwrap();
    numbers.get(&made.id).await.unwrap();
    let of_apps = stack.admin.organization().apps().phone_numbers();
    of_apps.assign(app, &made.id).await.unwrap();
    of_apps.unassign(app, &made.id).await.unwrap();
    numbers.delete(&made.id).await.unwrap();
}
