//! The names of operations: namespace and verb, such as `chat.messages.send`. Every library has a method of this name, and the
//! audit log names operations so.
//!
//! The annotation's `operation_id` is the only source of a name. It follows from method and path by [`expected`], except for
//! the names in [`EXCEPTIONS`].

/// Operations whose verb says more than the rule would, or whose path does not end with a resource: method, path and name.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("POST", "/v1/chat/messages", "chat.messages.send"),
    ("POST", "/v1/chat/messages/read", "chat.messages.markRead"),
    ("POST", "/v1/chat/messages/typing", "chat.messages.showTyping"),
    ("POST", "/v1/sms", "sms.send"),
    ("POST", "/v1/media", "media.upload"),
    ("POST", "/v1/chat/groups/{groupId}/invite-link", "chat.groups.replaceInviteLink"),
    ("POST", "/v1/chat/groups/{groupId}/participants", "chat.groups.participants.add"),
    ("DELETE", "/v1/chat/groups/{groupId}/participants", "chat.groups.participants.remove"),
    ("POST", "/v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users", "chat.phoneNumbers.blockedUsers.block"),
    ("DELETE", "/v1/chat/phone-numbers/{chatPhoneNumberId}/blocked-users", "chat.phoneNumbers.blockedUsers.unblock"),
    ("POST", "/v1/phone-numbers", "phoneNumbers.assign"),
    ("DELETE", "/v1/phone-numbers/{phoneNumberId}", "phoneNumbers.unassign"),
    ("PUT", "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}", "organization.apps.phoneNumbers.assign"),
    (
        "DELETE",
        "/v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
        "organization.apps.phoneNumbers.unassign",
    ),
    ("POST", "/v1/organization/chat/business-profiles", "organization.chat.businessProfiles.connect"),
    ("POST", "/v1/organization/chat/business-profiles/callback", "organization.chat.businessProfiles.completeSignup"),
    ("DELETE", "/v1/organization/chat/business-profiles/{profileId}", "organization.chat.businessProfiles.disconnect"),
    ("DELETE", "/v1/organization/chat/onboarding-links/{onboardingLinkId}", "organization.chat.onboardingLinks.cancel"),
    ("POST", "/v1/organization/chat/phone-numbers", "organization.chat.phoneNumbers.register"),
    (
        "POST",
        "/v1/organization/chat/phone-numbers/{chatPhoneNumberId}/register",
        "organization.chat.phoneNumbers.registerAgain",
    ),
    ("GET", "/v1/organization/playground/chat/phone-numbers/user", "organization.playground.chat.userNumbers.list"),
    ("POST", "/v1/playground/chat/inbound", "playground.chat.simulateInbound"),
    ("POST", "/v1/playground/chat/phone-numbers/user", "playground.chat.userNumbers.create"),
    ("POST", "/v1/playground/notifications", "playground.notifications.simulate"),
    ("GET", "/v1/playground/phone-numbers/system", "playground.systemNumbers.list"),
    ("POST", "/v1/playground/simulations", "playground.simulations.run"),
    ("POST", "/v1/playground/sms/inbound", "playground.sms.simulateInbound"),
    // A list of problems, but one report.
    ("GET", "/v1/organization/chat/platform-check", "organization.chat.platformCheck.get"),
    ("GET", "/v1/openapi.json", "openapi.get"),
    // Pages, the platform's handshake, and what the page of an onboarding link calls.
    ("GET", "/", "pages.root"),
    ("GET", "/api_reference", "pages.reference"),
    ("GET", "/api_reference/assets/{asset}", "pages.asset"),
    ("GET", "/api_reference/error-codes", "pages.errorCodes"),
    ("GET", "/api_reference.md", "pages.introduction"),
    ("GET", "/api_reference/{page}", "pages.page"),
    ("GET", "/llms.txt", "pages.index"),
    ("GET", "/onboarding", "pages.onboarding"),
    ("GET", "/onboarding/simulated-consent", "pages.simulatedConsent"),
    ("GET", "/v1/platform/notifications", "platform.notifications.confirm"),
    ("POST", "/v1/platform/notifications", "platform.notifications.receive"),
    ("PUT", "/v1/onboarding/signup", "onboarding.beginSignup"),
    ("GET", "/sign-in", "pages.signIn"),
    ("GET", "/console", "pages.console"),
    ("GET", "/console/{file}", "pages.consoleFile"),
    ("GET", "/v1/sign-in", "signIn.begin"),
    ("GET", "/v1/sign-in/callback", "signIn.complete"),
    ("PUT", "/v1/session", "session.switch"),
    ("POST", "/v1/sign-in/link", "signIn.link.redeem"),
    ("POST", "/v1/session/key", "session.createKey"),
    ("POST", "/v1/organization/members/{memberId}/sign-in-link", "organization.members.createSignInLink"),
];

/// Namespaces of operations that no library has: they are marked `x-internal`.
const INTERNAL: [&str; 3] = ["pages", "platform", "onboarding"];

/// Operations to which only browsers are sent.
const OF_BROWSERS: [&str; 2] = ["signIn.begin", "signIn.complete"];

/// Returns whether an operation is for this service's pages or for the platform, not for API clients.
pub fn is_internal(id: &str) -> bool {
    OF_BROWSERS.contains(&id) || id.split('.').next().is_some_and(|namespace| INTERNAL.contains(&namespace))
}

/// Returns the name that an operation must have. `returns_list` says whether its response is a page of a list.
pub fn expected(method: &str, path: &str, returns_list: bool) -> String {
    let exception = EXCEPTIONS.iter().find(|(of_method, of_path, _)| *of_method == method && *of_path == path);
    if let Some((.., name)) = exception {
        return (*name).to_owned();
    }

    let segments: Vec<&str> = path.trim_start_matches("/v1").split('/').filter(|segment| !segment.is_empty()).collect();
    let names = |segments: &[&str]| {
        let resources = segments.iter().filter(|segment| !segment.starts_with('{'));
        resources.map(|segment| camel_case(segment)).collect::<Vec<_>>().join(".")
    };
    let names_object = segments.last().is_some_and(|segment| segment.starts_with('{'));
    // A POST to something below an object, or below a collection, that is no collection itself is an action.
    let is_action = method == "POST" && !names_object && !COLLECTIONS.iter().any(|end| path.ends_with(end));
    if is_action {
        return names(&segments);
    }
    let verb = match method {
        "GET" if returns_list => "list",
        "GET" => "get",
        "POST" => "create",
        "PUT" | "PATCH" => "update",
        _ => "delete",
    };
    format!("{}.{verb}", names(&segments))
}

/// Collections in which a POST creates an object.
const COLLECTIONS: &[&str] = &[
    "/admin-keys",
    "/members",
    "/apps",
    "/keys",
    "/webhooks",
    "/groups",
    "/uploads",
    "/onboarding-links",
    "/templates",
    "/phone-numbers",
];

/// Converts `rotate-secret` to `rotateSecret`.
fn camel_case(segment: &str) -> String {
    let mut words = segment.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
}
