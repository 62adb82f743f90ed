//! Lists of templates, and who may read a template.

use serde_json::json;
use tests::chat::connect;
use tests::request::text;
use tests::standin::template;
use tests::{Call, Service as _, World};

use super::{TEMPLATES, create, get, wanted};

#[tokio::test]
async fn lists_are_filtered() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4208").await;
    let mut all = Vec::new();
    for number in 0..12_u32 {
        let mut each = template(&format!("{}", 500_100 + number), &format!("name_{}", number / 3));
        each["language"] = json!(["de", "en_US", "fr"][(number % 3) as usize]);
        each["category"] = json!(if number < 6 { "UTILITY" } else { "MARKETING" });
        each["status"] = json!(if number % 2 == 0 { "APPROVED" } else { "REJECTED" });
        all.push(each);
    }
    world.platform.state().accounts.get_mut("4208").unwrap().templates = all;
    let sync = json!({"chatBusinessProfileId": line.profile});
    world.admin(Call::post(format!("{TEMPLATES}/sync")).json(&sync)).await.expect(200);
    let profile = &line.profile;
    let walk = async |filters: &str, limit: usize| {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("{TEMPLATES}?chatBusinessProfileId={profile}&limit={limit}{filters}{cursor}");
            let page = world.admin(Call::get(path)).await.expect(200);
            ids.extend(page["data"].as_array().unwrap().iter().map(|each| text(each, "id")));
            let Some(next) = page["nextCursor"].as_str() else { return ids };
            cursor = format!("&cursor={next}");
        }
    };
    let ids = |numbers: &[u32]| numbers.iter().map(|number| format!("{}", 500_100 + number)).collect::<Vec<_>>();

    for limit in [1, 2, 100] {
        assert_eq!(walk("", limit).await.len(), 12);
        assert_eq!(walk("&name=name_1", limit).await, ids(&[5, 4, 3]));
        assert_eq!(walk("&name=name_1&language=en_US", limit).await, ids(&[4]));
        assert_eq!(walk("&language=fr", limit).await, ids(&[11, 8, 5, 2]));
        assert_eq!(walk("&category=MARKETING&status=REJECTED", limit).await, ids(&[11, 9, 7]));
        assert_eq!(walk("&name=none", limit).await, ids(&[]));
    }

    let of = |query: &str| world.admin(Call::get(format!("{TEMPLATES}?chatBusinessProfileId={profile}{query}")));
    for (query, param) in [
        ("&name=Name", "name"),
        ("&language=", "language"),
        ("&status=", "status"),
        ("&category=", "category"),
        ("&state=x", "state"),
    ] {
        of(query).await.refused(400, Some(param), None);
    }

    // A cursor belongs to its filters.
    let first = of("&limit=1&language=fr").await.expect(200);
    let other = format!("&limit=1&language=de&cursor={}", text(&first, "nextCursor"));
    of(&other).await.refused(400, Some("cursor"), None);
}

#[tokio::test]
async fn a_template_belongs_to_the_organization_and_its_mode() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4209").await;
    let made = create(&world, &wanted(&line.profile, "order_shipped")).await.expect(201);
    let path = format!("{TEMPLATES}/{}", text(&made, "id"));
    let stranger = world.organization("Stranger").await;
    let before = world.platform.state().seen.len();

    for key in [&stranger.admin, &world.org.test_admin] {
        let body = wanted(&line.profile, "another");
        world.send(Call::post(TEMPLATES).json(&body).key(key)).await.refused(404, Some("chatBusinessProfileId"), None);
        world.send(Call::get(&path).key(key)).await.refused(404, Some("templateId"), None);
        let change = Call::patch(&path).json(&json!({"category": "MARKETING"}));
        world.send(change.key(key)).await.refused(404, Some("templateId"), None);
        world.send(Call::delete(&path).key(key)).await.refused(404, Some("templateId"), None);
    }

    world.send(Call::get(&path).key(&world.org.session)).await.expect(200);
    get(&world, "abc").await.refused(400, Some("templateId"), None);
    assert_eq!(world.platform.state().seen.len(), before);
}
