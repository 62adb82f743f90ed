// The webhooks of all apps, and their health: what the list shows.
import { MessagingError, type App, type Attention, type Webhook, type WebhookDelivery } from "messaging";
import { untrack } from "svelte";

import { appsOfMode } from "../../core/apps";
import { send } from "../../core/clients";
import { allOf } from "../../core/load.svelte";
import { ask } from "../../core/request";
import { session } from "../../core/session.svelte";
import { forEach, webhooksOf } from "./data";

/** The webhooks of one app, or of all apps of the mode. They appear as they come. */
export class Hooks {
  apps = $state.raw<App[]>();
  webhooks = $state.raw<Webhook[]>([]);
  isLoaded = $state(false);
  problem = $state<unknown>();
  readonly #chosen: () => string | undefined;
  #turn = 0;

  constructor(chosen: () => string | undefined) {
    this.#chosen = chosen;
    $effect(() => {
      const wanted = chosen();
      untrack(() => void this.#load(wanted));
    });
  }

  reload = (): Promise<void> => this.#load(this.#chosen());

  async #load(chosen: string | undefined): Promise<void> {
    const turn = ++this.#turn;
    const found = new Map<string, Webhook[]>();
    this.webhooks = [];
    this.isLoaded = false;
    this.problem = undefined;
    try {
      const apps = (this.apps ??= await appsOfMode());
      const wanted = apps.filter(({ id }) => chosen === undefined || chosen === id);
      await forEach(wanted, async ({ id }) => {
        found.set(id, await webhooksOrNone(id));
        if (turn === this.#turn) this.webhooks = wanted.flatMap((app) => found.get(app.id) ?? []);
      });
      if (turn === this.#turn) this.isLoaded = true;
    } catch (error) {
      if (turn === this.#turn) this.problem = error;
    }
  }
}

/** An app that was deleted meanwhile has no webhooks. */
async function webhooksOrNone(app: string): Promise<Webhook[]> {
  try {
    return await webhooksOf(app);
  } catch (error) {
    if (error instanceof MessagingError && error.status === 404) return [];
    throw error;
  }
}

/** The health of webhooks: their latest deliveries, and whether they need attention. */
export class Health {
  latest = $state.raw<Record<string, WebhookDelivery[]>>({});
  attention = $state.raw<Record<string, Attention>>({});

  /** Reads the health of webhooks. What cannot be read is left out: an error here must not hide the webhooks. */
  async look(webhooks: readonly Webhook[]): Promise<void> {
    await Promise.all([this.#lookAtAttention(), forEach(webhooks, (webhook) => this.#lookAt(webhook))]);
  }

  async #lookAt({ appId, id }: Webhook): Promise<void> {
    try {
      const page = await send(ask("organization.apps.webhooks.deliveries.list", appId, id, { limit: 5 }));
      this.latest = { ...this.latest, [id]: page.data };
    } catch {
      // The webhook is shown without its latest deliveries; the next look retries.
    }
  }

  async #lookAtAttention(): Promise<void> {
    if (!session.may("organization.attention.list")) return;
    try {
      const all = await allOf<Attention>((cursor) => ask("organization.attention.list", { limit: 100, cursor }));
      const kinds = ["WEBHOOK_FAILING", "WEBHOOK_DISABLED"];
      this.attention = Object.fromEntries(all.filter(({ kind }) => kinds.includes(kind)).map((entry) => [entry.target.id, entry]));
    } catch {
      // The webhooks are shown without it; the next look retries.
    }
  }
}
