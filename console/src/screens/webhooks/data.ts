// Reads webhooks, which belong to apps: there is no list of all of them.
import type { Webhook } from "messaging";

import { allOf } from "../../core/load.svelte";
import { ask } from "../../core/request";

/** How many requests are under way at the same time. */
const AT_ONCE = 4;

/** Does some work for each item, a few at the same time. */
export async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const one = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** The webhooks of an app, of which there are at most 20. */
export function webhooksOf(app: string): Promise<Webhook[]> {
  return allOf<Webhook>((cursor) => ask("organization.apps.webhooks.list", app, { limit: 100, cursor }));
}
