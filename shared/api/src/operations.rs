//! Every operation of the API with the function that serves it. The reference function answers 404 and 405 from it; tests hold
//! it equal to the routers and to the template's routes.

use http::Method;

pub struct Operation {
    pub method: Method,
    pub path: &'static str,
    pub function: &'static str,
}

macro_rules! operations {
    ($($function:literal { $($method:ident $path:literal)+ })+) => {
        pub const OPERATIONS: &[Operation] = &[
            $($(Operation { method: Method::$method, path: $path, function: $function },)+)+
        ];
    };
}

operations! {
    "organization" {
        GET "/v1/organization/settings"
        PATCH "/v1/organization/settings"
        GET "/v1/organization/admin-keys"
        POST "/v1/organization/admin-keys"
        DELETE "/v1/organization/admin-keys/{id}"
        GET "/v1/organization/phone-numbers"
        POST "/v1/organization/phone-numbers"
        GET "/v1/organization/phone-numbers/{phoneNumberId}"
        DELETE "/v1/organization/phone-numbers/{phoneNumberId}"
        PUT "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}"
        DELETE "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}"
    }
    "apps" {
        GET "/v1/organization/apps"
        POST "/v1/organization/apps"
        GET "/v1/organization/apps/{appId}"
        PATCH "/v1/organization/apps/{appId}"
        DELETE "/v1/organization/apps/{appId}"
        GET "/v1/organization/apps/{appId}/keys"
        POST "/v1/organization/apps/{appId}/keys"
        DELETE "/v1/organization/apps/{appId}/keys/{keyId}"
        GET "/v1/organization/apps/{appId}/webhooks"
        POST "/v1/organization/apps/{appId}/webhooks"
        GET "/v1/organization/apps/{appId}/webhooks/{webhookId}"
        PUT "/v1/organization/apps/{appId}/webhooks/{webhookId}"
        DELETE "/v1/organization/apps/{appId}/webhooks/{webhookId}"
        POST "/v1/organization/apps/{appId}/webhooks/{webhookId}/test"
        POST "/v1/organization/apps/{appId}/webhooks/{webhookId}/rotate-secret"
        GET "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries"
        POST "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver"
        GET "/v1/organization/apps/{appId}/calling"
        PUT "/v1/organization/apps/{appId}/calling"
    }
    "chat" {
        GET "/v1/organization/chat/business-profiles"
        POST "/v1/organization/chat/business-profiles/callback"
        GET "/v1/organization/chat/business-profiles/{profileId}"
        GET "/v1/organization/chat/phone-numbers"
        POST "/v1/organization/chat/phone-numbers"
        GET "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}"
        GET "/v1/organization/chat/templates"
        POST "/v1/organization/chat/templates/sync"
        GET "/v1/organization/chat/messages"
        GET "/v1/organization/chat/messages/{messageId}"
        POST "/v1/chat/groups"
        GET "/v1/chat/groups/{groupId}"
        DELETE "/v1/chat/groups/{groupId}/participants"
    }
    "notifications" {
        GET "/v1/platform/notifications"
        POST "/v1/platform/notifications"
    }
    "media" {
        POST "/v1/media"
        GET "/v1/media/{mediaId}"
        DELETE "/v1/media/{mediaId}"
        POST "/v1/media/uploads"
        POST "/v1/media/{mediaId}/complete"
    }
    "playground" {
        GET "/v1/organization/playground/chat/phone-numbers/user"
        POST "/v1/playground/chat/phone-numbers/user"
        GET "/v1/playground/phone-numbers/system"
        POST "/v1/playground/chat/messages"
        POST "/v1/playground/sms/messages"
    }
    "reference" {
        GET "/"
        GET "/v1/health"
        GET "/v1/errors"
        GET "/v1/openapi.json"
        GET "/api_reference"
        GET "/api_reference/error-codes"
        GET "/api_reference/assets/{asset}"
    }
}
