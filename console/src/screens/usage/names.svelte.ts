// Names of the apps, numbers and webhooks in the rows. One without a name here is shown with its id.
import type { UsageRow } from "messaging";

import { send } from "../../core/clients";
import { ask, type Request } from "../../core/request";
import { session } from "../../core/session.svelte";

/** How many pages of each list are read at most, and how many lists of webhooks: one for each app. */
const MOST_PAGES = 20;
const MOST_APPS = 50;

type Named = { id: string; name?: string; number?: string; displayPhoneNumber?: string; url?: string };

export class Names {
  #known = $state.raw<Record<string, string>>({});
  /** Ids that were looked for before. They are not looked for again. */
  readonly #asked = new Set<string>();

  constructor(rows: () => UsageRow[]) {
    $effect(() => {
      const all = rows();
      void this.#find(unique(all.map(({ app }) => app)), (cursor) => ask("organization.apps.list", { limit: 100, cursor }));
      const numbers = unique(all.map(({ number }) => number));
      void this.#find(numbers.filter((id) => id.startsWith("wapn_")), (cursor) => ask("organization.chat.phoneNumbers.list", { limit: 100, cursor }));
      void this.#find(numbers.filter((id) => id.startsWith("ph_")), (cursor) => ask("organization.phoneNumbers.list", { limit: 100, cursor }));
      void this.#findWebhooks(all);
    });
  }

  of(id: string): string {
    return this.#known[id] ?? id;
  }

  async #findWebhooks(rows: UsageRow[]): Promise<void> {
    const apps = unique(rows.filter(({ webhook }) => webhook).map(({ app }) => app)).slice(0, MOST_APPS);
    for (const app of apps) {
      const wanted = unique(rows.filter((row) => row.app === app).map(({ webhook }) => webhook));
      await this.#find(wanted, (cursor) => ask("organization.apps.webhooks.list", app, { limit: 100, cursor }));
    }
  }

  /** Reads a list until all that is wanted was in it. A row without a name is no reason to show an error. */
  async #find(ids: string[], make: (cursor?: string) => Request): Promise<void> {
    const wanted = new Set(ids.filter((id) => !this.#asked.has(id)));
    if (wanted.size === 0 || !session.may(make().name)) return;
    for (const id of wanted) this.#asked.add(id);
    let cursor: string | null | undefined;
    try {
      for (let read = 0; read < MOST_PAGES && wanted.size > 0 && cursor !== null; read += 1) {
        const page = (await send(make(cursor))) as { data: Named[]; nextCursor: string | null };
        this.#known = { ...this.#known, ...Object.fromEntries(page.data.map((one) => [one.id, nameOf(one)])) };
        for (const { id } of page.data) wanted.delete(id);
        cursor = page.nextCursor;
      }
    } catch {
      // They can be looked for again later.
      for (const id of wanted) this.#asked.delete(id);
    }
  }
}

function nameOf({ id, name, number, displayPhoneNumber, url }: Named): string {
  return displayPhoneNumber ?? number ?? url ?? name ?? id;
}

function unique(ids: (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))];
}
