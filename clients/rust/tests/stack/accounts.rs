//! WhatsApp accounts, their numbers, templates and onboarding links.

use messaging_client::queries::{
    OrganizationChatPhoneNumbersListQuery, OrganizationChatPlatformCheckGetQuery, OrganizationChatTemplatesDeleteQuery,
    OrganizationChatTemplatesListQuery, PageQuery,
};
use messaging_client::types::{
    ChangeChatNumberPin, CompleteSignup, ConnectAccount, CreateChatTemplate, CreateOnboardingLink,
    RegisterChatNumberAgain, RegisterChatPhoneNumber, RequestChatNumberCode, SyncChatTemplates,
    UpdateChatNumberProfile, UpdateChatTemplate, VerifyChatNumberCode,
};
use serde_json::json;

use crate::recorder::{Stack, unique, until};

pub(crate) async fn accounts(stack: &Stack) {
    let chat = stack.admin.organization().chat();
    let waba = unique().to_string();
    let of_token = ConnectAccount {
        access_token: format!("token.{waba}1"),
        waba_id: format!("{waba}1"),
        test: Some(true),
        ..Default::default()
    };
    let connected = chat.business_profiles().connect(&of_token).await.unwrap();
    let of_signup = CompleteSignup {
        code: format!("code.{waba}2"),
        waba_id: Some(format!("{waba}2")),
        test: Some(true),
        ..Default::default()
    };
    let signed_up = chat.business_profiles().complete_signup(&of_signup).await.unwrap();
    chat.business_profiles().list(&PageQuery::default()).await.unwrap();
    let profile = chat.business_profiles().get(&signed_up.id).await.unwrap().value.id;
    chat.business_profiles().disconnect(&connected.id).await.unwrap();
    let query = OrganizationChatPlatformCheckGetQuery { profile_id: Some(profile.clone()) };
    chat.platform_check().get(&query).await.unwrap();
    chat.templates()
        .sync(&SyncChatTemplates { chat_business_profile_id: profile.clone(), ..Default::default() })
        .await
        .unwrap();
    numbers(stack, &profile, &waba).await;
    links(stack).await;
    templates(stack, &profile).await;
}

async fn numbers(stack: &Stack, profile: &str, waba: &str) {
    let numbers = stack.admin.organization().chat().phone_numbers();
    let query = OrganizationChatPhoneNumbersListQuery {
        chat_business_profile_id: Some(profile.to_owned()),
        ..Default::default()
    };
    let found = numbers.list(&query).items().all().await.unwrap();
    let first = found.iter().find(|number| number.provider_phone_number_id.ends_with("01")).unwrap();
    let id = &first.id;
    numbers.get(id).await.unwrap();
    // The sync adds a third number to a simulated account. Its digits follow those of the other two.
    let digits: u64 = first.display_phone_number.trim_start_matches('+').parse().unwrap();
    let third = RegisterChatPhoneNumber {
        display_phone_number: format!("+{}", digits + 2),
        provider_phone_number_id: format!("{waba}203"),
        provider_business_account_id: format!("{waba}2"),
        ..Default::default()
    };
    numbers.register(&third).await.unwrap();

    let about = "Open from 9 to 5".to_owned();
    let changed = UpdateChatNumberProfile { about: Some(about.clone()), ..Default::default() };
    numbers.business_profile().update(id, &changed).await.unwrap();
    assert_eq!(numbers.business_profile().get(id).await.unwrap().raw["about"], about);
    let code = RequestChatNumberCode { code_method: "SMS".to_owned().into(), language: "en_US".to_owned() };
    numbers.request_code(id, &code).await.unwrap();
    numbers.verify_code(id, &VerifyChatNumberCode { code: "123830".to_owned() }).await.unwrap();
    let pin = "482915".to_owned();
    numbers.pin().update(id, &ChangeChatNumberPin { pin: pin.clone() }).await.unwrap();
    assert!(!numbers.deregister(id).await.unwrap().cloud_api_registered);
    let again = RegisterChatNumberAgain { pin: Some(pin) };
    assert!(numbers.register_again(id, &again).await.unwrap().cloud_api_registered);
}

async fn links(stack: &Stack) {
    let links = stack.admin.organization().chat().onboarding_links();
    let wanted = CreateOnboardingLink {
        success_url: "https://example.com/done".to_owned(),
        failure_url: "https://example.com/failed".to_owned(),
        test: Some(true),
        ..Default::default()
    };
    let link = links.create(&wanted).await.unwrap();
    links.list(&PageQuery::default()).await.unwrap();
    links.get(&link.id).await.unwrap();
    links.cancel(&link.id).await.unwrap();
}

async fn templates(stack: &Stack, profile: &str) {
    let templates = &stack.admin.organization().chat().templates();
    let wanted = CreateChatTemplate {
        chat_business_profile_id: profile.to_owned(),
        name: "of_rust".to_owned(),
        language: "en_US".to_owned(),
        category: "UTILITY".to_owned().into(),
        components: vec![json!({"type": "BODY", "text": "Hello."})],
        dry_run: None,
        message_send_ttl_seconds: None,
        parameter_format: None,
    };
    let created = &templates.create(&wanted).await.unwrap().value.id;
    let query =
        OrganizationChatTemplatesListQuery { chat_business_profile_id: profile.to_owned(), ..Default::default() };
    templates.list(&query).await.unwrap();
    let is_approved = || async move { templates.get(created).await.unwrap().raw["status"] == "APPROVED" };
    until("the template is approved", is_approved).await;
    let components = Some(vec![json!({"type": "BODY", "text": "Hello again."})]);
    templates.update(created, &UpdateChatTemplate { components, ..Default::default() }).await.unwrap();
    templates.delete(created, &OrganizationChatTemplatesDeleteQuery::default()).await.unwrap();
}
