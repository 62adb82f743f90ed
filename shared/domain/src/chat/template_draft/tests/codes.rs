//! Templates for one-time passwords.

use serde_json::{Value, json};

use super::{Category, ParameterFormat, draft, extended, refused};

#[test]
fn templates_for_codes_have_their_own_shape() {
    let otp = |fields: Value| {
        let button = extended(json!({"type": "OTP"}), &fields);
        json!([{"type": "BODY"}, {"type": "BUTTONS", "buttons": [button]}])
    };
    let app = json!({"package_name": "com.example.app", "signature_hash": "K8a/AINcGX7"});
    draft(Category::Authentication, None, otp(json!({"otp_type": "COPY_CODE"}))).checked().expect("accepted");
    let one_tap = otp(json!({"otp_type": "ONE_TAP", "text": "Copy", "autofill_text": "Fill", "supported_apps": [app]}));
    draft(Category::Authentication, None, one_tap).checked().expect("accepted");

    let at = "components[1].buttons[0]";
    for (components, param) in [
        (json!([{"type": "BODY"}]), "components".to_owned()),
        (json!([{"type": "BODY", "text": "{{1}} is your code."}]), "components[0].text".to_owned()),
        (
            json!([{"type": "BODY", "add_security_recommendation": "yes"}]),
            "components[0].add_security_recommendation".to_owned(),
        ),
        (json!([{"type": "HEADER", "format": "LOCATION"}]), "components[0]".to_owned()),
        (json!([{"type": "FOOTER", "text": "x"}]), "components[0].text".to_owned()),
        (
            json!([{"type": "FOOTER", "code_expiration_minutes": 91}]),
            "components[0].code_expiration_minutes".to_owned(),
        ),
        (otp(json!({})), format!("{at}.otp_type")),
        (otp(json!({"otp_type": "COPY_CODE", "supported_apps": [app]})), format!("{at}.supported_apps")),
        (otp(json!({"otp_type": "ONE_TAP"})), format!("{at}.supported_apps")),
        (otp(json!({"otp_type": "ONE_TAP", "supported_apps": vec![app.clone(); 6]})), format!("{at}.supported_apps")),
        (otp(json!({"otp_type": "ZERO_TAP", "supported_apps": [app]})), format!("{at}.zero_tap_terms_accepted")),
        (
            otp(
                json!({"otp_type": "ONE_TAP", "supported_apps": [{"package_name": "app", "signature_hash": "K8a/AINcGX7"}]}),
            ),
            format!("{at}.supported_apps[0].package_name"),
        ),
        (
            otp(json!({"otp_type": "ONE_TAP", "supported_apps": [{"package_name": "a.b", "signature_hash": "short"}]})),
            format!("{at}.supported_apps[0].signature_hash"),
        ),
    ] {
        refused(Category::Authentication, None, components, &param);
    }

    let code = json!([{"type": "BODY"}]);
    refused(Category::Authentication, Some(ParameterFormat::Named), code, "parameterFormat");
}
