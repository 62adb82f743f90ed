//! The rate card: what the organization pays for chat messages.

pub(crate) mod http;

use api::Admin;
use domain::audit::TargetKind;
use domain::usage::RateCard;
use domain::{Failure, Mode};
use runtime::{Context, logging};
use store::Change;

use self::http::NewRateCard;

async fn set(
    context: &Context,
    caller: &Admin,
    before: Option<RateCard>,
    sent: NewRateCard,
) -> Result<RateCard, Failure> {
    caller.require_live()?;
    let after = RateCard { currency: sent.currency, prices: sent.prices, updated_at: context.now() };
    let shown = |card: &RateCard| format!("{} prices in {}", card.prices.len(), card.currency);
    let entry = context.entry(&caller.trail, Mode::Live).about(TargetKind::Organization, &caller.organization).field(
        "rateCard",
        before.as_ref().map(shown).as_deref(),
        Some(&shown(&after)),
    );
    logging::known_object(&caller.organization);
    let mut change = Change::new(&caller.organization);
    change.put_rate_card(&after)?;
    change.enter(&entry)?;
    context.store.commit(&change).await?;
    Ok(after)
}
