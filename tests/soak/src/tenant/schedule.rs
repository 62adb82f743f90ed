//! The random sequence of a tenant's operations.

use super::Tenant;

/// Requests beyond its share that a client may send for its last events.
const MORE: usize = 10;

type Operation = fn(&mut Tenant);

/// The operations with their weights, and whether the operation works outside the table while it holds its key.
const OPERATIONS: [(Operation, f64, bool); 24] = [
    (Tenant::read, 24.0, false),
    (Tenant::list_some, 9.0, false),
    (Tenant::make_app, 4.0, false),
    (Tenant::change_app, 4.0, false),
    (Tenant::delete_app, 3.0, false),
    (Tenant::make_key, 4.0, false),
    (Tenant::delete_key, 2.0, false),
    (Tenant::rotate_key, 1.0, false),
    (Tenant::rotate_secret, 0.5, false),
    (Tenant::make_admin_key, 2.0, false),
    (Tenant::delete_admin_key, 1.5, false),
    (Tenant::make_webhook, 4.0, false),
    (Tenant::change_webhook, 3.0, false),
    (Tenant::delete_webhook, 2.0, false),
    (Tenant::set_calling, 2.0, false),
    (Tenant::make_number, 6.0, false),
    (Tenant::delete_number, 3.0, false),
    (Tenant::assign, 6.0, false),
    (Tenant::change_settings, 2.0, false),
    (Tenant::make_user, 1.0, false),
    (Tenant::make_group, 2.0, true),
    (Tenant::upload, 4.0, true),
    (Tenant::delete_media, 2.0, false),
    (Tenant::ask_badly, 8.0, false),
];

impl Tenant {
    /// Sends `share` requests, enough of them messages to emit `events` events. Reports the number of requests to `sent`.
    pub(crate) fn work(&mut self, share: usize, events: usize, mut sent: impl FnMut(usize)) {
        loop {
            let waiting = events.saturating_sub(self.known().awaited.len());
            if self.sent >= share && (waiting == 0 || self.sent >= share + MORE) {
                break;
            }
            sent(self.sent);
            let left = share.saturating_sub(self.sent);
            if self.random.f64() * (left as f64) < waiting as f64 {
                self.message(waiting);
                continue;
            }
            let (operation, _, holds) = self.draw(|(_, weight, _)| *weight, &OPERATIONS);
            let is_late = !self.options.is_long() && self.sent > share / 3;
            if holds && is_late { self.read() } else { operation(self) }
        }
        sent(self.sent);
    }

    /// Waits for the requests in the background.
    pub(crate) fn finish(&mut self) {
        self.join_late();
    }

    pub(super) fn draw<T: Clone>(&mut self, weight: impl Fn(&T) -> f64, among: &[T]) -> T {
        let total: f64 = among.iter().map(&weight).sum();
        let mut luck = self.random.f64() * total;
        for one in among {
            luck -= weight(one);
            if luck < 0.0 {
                return one.clone();
            }
        }
        among[among.len() - 1].clone()
    }
}
