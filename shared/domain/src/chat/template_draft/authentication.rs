//! Templates for one-time codes. The platform writes their texts, so their components have a shape of their own.

use super::buttons::BUTTON_TEXT_LENGTH;
use super::fields::{Fields, line};
use crate::Failure;

pub const EXPIRY_MINUTES: std::ops::RangeInclusive<i64> = 1..=90;
pub const SUPPORTED_APPS: usize = 5;
const PACKAGE_NAME_LENGTH: usize = 224;
const SIGNATURE_HASH_LENGTH: usize = 11;

pub(super) fn check_body(body: &Fields<'_>) -> Result<(), Failure> {
    if body.has("text") {
        let param = body.param("text");
        let message = format!("{param} is not allowed: WhatsApp writes the text of an AUTHENTICATION template.");
        return Err(Failure::invalid(&param, message));
    }
    body.expect_only(&["type", "add_security_recommendation"])?;
    body.flag("add_security_recommendation").map(|_| ())
}

pub(super) fn check_footer(footer: &Fields<'_>) -> Result<(), Failure> {
    footer.expect_only(&["type", "code_expiration_minutes"])?;
    let param = footer.param("code_expiration_minutes");
    let minutes = footer.integer("code_expiration_minutes")?.ok_or_else(|| Failure::missing(&param))?;
    if EXPIRY_MINUTES.contains(&minutes) {
        return Ok(());
    }
    let (least, most) = (EXPIRY_MINUTES.start(), EXPIRY_MINUTES.end());
    Err(Failure::invalid(&param, format!("{param} must be from {least} to {most}.")))
}

pub(super) fn check_buttons(component: &Fields<'_>) -> Result<(), Failure> {
    component.expect_only(&["type", "buttons"])?;
    let param = component.param("buttons");
    let [only] = component.required_list("buttons")? else {
        return Err(Failure::invalid(&param, format!("{param} must have one button, of type OTP.")));
    };

    let button = Fields::of(only, format!("{param}[0]"))?;
    button.one_of("type", &["OTP"])?;
    match button.one_of("otp_type", &["COPY_CODE", "ONE_TAP", "ZERO_TAP"])? {
        "COPY_CODE" => button.expect_only(&["type", "otp_type", "text"])?,
        "ONE_TAP" => {
            button.expect_only(&["type", "otp_type", "text", "autofill_text", "supported_apps"])?;
            check_apps(&button)?;
        }
        _ => {
            let terms = "zero_tap_terms_accepted";
            button.expect_only(&["type", "otp_type", "text", "autofill_text", "supported_apps", terms])?;
            check_apps(&button)?;
            if button.flag(terms)? != Some(true) {
                let param = button.param(terms);
                let message = format!("{param} must be true: ZERO_TAP requires WhatsApp's terms to be accepted.");
                return Err(Failure::invalid(&param, message));
            }
        }
    }

    for text in ["text", "autofill_text"].into_iter().filter(|name| button.has(name)) {
        button.plain_line(text, BUTTON_TEXT_LENGTH)?;
    }
    Ok(())
}

fn check_apps(button: &Fields<'_>) -> Result<(), Failure> {
    let (apps, param) = (button.required_list("supported_apps")?, button.param("supported_apps"));
    if !(1..=SUPPORTED_APPS).contains(&apps.len()) {
        let message = format!("{param} must have 1 to {SUPPORTED_APPS} apps. This one has {}.", apps.len());
        return Err(Failure::invalid(&param, message));
    }
    for (index, app) in apps.iter().enumerate() {
        let app = Fields::of(app, format!("{param}[{index}]"))?;
        app.expect_only(&["package_name", "signature_hash"])?;
        check_package_name(&app)?;
        check_signature_hash(&app)?;
    }
    Ok(())
}

fn check_package_name(app: &Fields<'_>) -> Result<(), Failure> {
    let (name, param) = (app.required_text("package_name")?, app.param("package_name"));
    line(name, &param, PACKAGE_NAME_LENGTH)?;
    let is_segment = |segment: &str| {
        segment.starts_with(|first: char| first.is_ascii_alphabetic())
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if name.contains('.') && name.split('.').all(is_segment) {
        return Ok(());
    }
    Err(Failure::invalid(&param, format!("{param} must be an Android package name, such as com.example.app.")))
}

fn check_signature_hash(app: &Fields<'_>) -> Result<(), Failure> {
    let (hash, param) = (app.required_text("signature_hash")?, app.param("signature_hash"));
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if hash.len() == SIGNATURE_HASH_LENGTH && hash.bytes().all(is_base64) {
        return Ok(());
    }
    let message = format!("{param} must be the {SIGNATURE_HASH_LENGTH} characters of the app's signing key hash.");
    Err(Failure::invalid(&param, message))
}
