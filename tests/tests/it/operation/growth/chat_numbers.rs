//! Chat numbers of one business profile, and the profile, which shows them all.

use domain::Mode;
use domain::id::ChatPhoneNumberId;
use tests::Call;
use tests::chat::Line;

use super::models::{Item, Model, Own};
use super::run::{List, Run, repeat};
use super::seeding::of_classes;
use super::{CHAT, FULL, MOST_CHAT_NUMBERS};

/// `connected` are the items of a connected account with one number.
pub(super) fn model(line: &Line, connected: Vec<Item>) -> Model {
    let items = of_classes(connected, &["WAPN#", "WAPNOF#", "PPN#"]);
    let own = vec![Own::ksuid_of(&line.number), Own::counted(&line.platform_number), Own::counted(&line.display)];
    Model { items, own }
}

pub(super) async fn measure(run: &mut Run<'_>) {
    let scene = run.scene;
    run.pages(List {
        kind: "chat phone numbers",
        path: format!("{CHAT}/phone-numbers"),
        name: "chat-phone-numbers".to_owned(),
        id: &|n| scene.ids.ksuid(n),
        most: MOST_CHAT_NUMBERS,
    })
    .await;

    let middle = scene.size.min(MOST_CHAT_NUMBERS) / 2;
    let seeded = || ChatPhoneNumberId::from_ksuid(Mode::Live, &scene.ids.ksuid(middle)).unwrap().to_string();
    let id = if scene.size >= FULL { seeded() } else { scene.line.number.clone() };
    let get = Call::get(format!("{CHAT}/phone-numbers/{id}"));
    run.calls("chat phone numbers: get", repeat(&get)).await;

    let profiles = format!("{CHAT}/business-profiles");
    run.whole("business profiles: get", Call::get(format!("{profiles}/{}", scene.line.profile))).await;
    run.whole("business profiles: first page", Call::get(profiles)).await;
}
