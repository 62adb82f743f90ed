//! The rate limits of a request: of its key, of its app and of its organization.

use std::fmt::Write;

use domain::id::Identifier as _;
use domain::identity::holder::{Credential, Holder};
use domain::identity::rate::RateLimit;
use domain::{Failure, Timestamp};
use http::{HeaderMap, HeaderName, HeaderValue};
use runtime::{Admission, Context, Standing};

/// The headers of draft-ietf-httpapi-ratelimit-headers-10.
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STANDING: HeaderName = HeaderName::from_static("ratelimit");

/// What a limit is of.
#[derive(Clone, Copy, Debug)]
enum Of {
    Key,
    App,
    Organization,
}

/// How much is left of each limit of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Standings(Vec<(Of, Standing)>);

/// Spends one request of each limit. Fails with 429 if one of them is reached.
pub(super) async fn admit(
    context: &Context,
    credential: &Credential,
    of_organization: Option<RateLimit>,
) -> (Standings, Result<(), Failure>) {
    let mut standings = Standings::default();
    let outcome = standings.spend(context, credential, of_organization).await;
    (standings, outcome)
}

impl Standings {
    async fn spend(
        &mut self,
        context: &Context,
        credential: &Credential,
        of_organization: Option<RateLimit>,
    ) -> Result<(), Failure> {
        let app = match &credential.holder {
            Holder::AppKey { app_id, .. } => Some(app_id.as_str()),
            _ => None,
        };

        let limits = [
            (Of::Key, credential.holder.key_id().zip(credential.rate_limit)),
            (Of::App, app.zip(credential.app_rate_limit)),
            (Of::Organization, of_organization.map(|limit| ("ORG", limit))),
        ];
        let now = context.now();
        let org = context.store.of(&credential.organization_id);

        for (of, limit) in limits {
            let Some((bucket, limit)) = limit else { continue };
            match context.rates.admit(&org, bucket, limit, now).await? {
                Admission::Allowed(standing) => self.0.push((of, standing)),
                Admission::Refused(until, standing) => {
                    self.0.push((of, standing));
                    return Err(of.refusal(limit, until, now));
                }
            }
        }

        Ok(())
    }

    /// Adds the headers of a response.
    pub(super) fn tell(&self, headers: &mut HeaderMap) {
        let (mut policy, mut standing) = (String::new(), String::new());
        for (of, each) in &self.0 {
            let (name, separator) = (of.name(), if policy.is_empty() { "" } else { ", " });
            // Writing to a string cannot fail.
            let _ = write!(policy, "{separator}\"{name}\";q={};w={}", each.limit.burst, each.limit.window());
            let _ = write!(standing, "{separator}\"{name}\";r={};t={}", each.remaining, each.full_in);
        }
        for (name, text) in [(POLICY, policy), (STANDING, standing)] {
            if let Some(value) = HeaderValue::try_from(text).ok().filter(|value| !value.is_empty()) {
                headers.insert(name, value);
            }
        }
    }
}

impl Of {
    fn name(self) -> &'static str {
        match self {
            Of::Key => "key",
            Of::App => "app",
            Of::Organization => "organization",
        }
    }

    fn refusal(self, limit: RateLimit, until: Timestamp, now: Timestamp) -> Failure {
        let whose = match self {
            Of::Key => "This key",
            Of::App => "The app of this key",
            Of::Organization => "Your organization",
        };
        let rate = limit.requests_per_second;
        let message = format!(
            "{whose} may make {rate} requests per second, and has made them. Retry after the seconds in `Retry-After`."
        );
        let wait = (until.millis() - now.millis()).max(1).unsigned_abs().div_ceil(1000);
        Failure::quota(message, u32::try_from(wait).unwrap_or(u32::MAX))
    }
}
