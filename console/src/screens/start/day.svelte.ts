// The counters of the last 24 hours in the current mode. For a large organization, one page holds only some of the hours.
import type { UsageRow } from "messaging";

import { Pages } from "../../core/load.svelte";
import { ask } from "../../core/request";
import { session } from "../../core/session.svelte";

const NAME = "organization.usage.list";

export class Day {
  readonly pages: Pages<UsageRow>;

  constructor(kind?: "deliveries") {
    this.pages = new Pages<UsageRow>(
      (cursor) => (session.may(NAME) ? ask(NAME, { ...(kind ? { kind } : {}), period: "hour", ...(cursor ? { cursor } : {}) }) : undefined),
      ({ period }) => period,
    );
    $effect(() => {
      // An error stops it: "Try again" starts over.
      if (this.pages.next !== null && !this.pages.isBusy && this.pages.problem === undefined) void this.pages.more();
    });
  }

  get rows(): UsageRow[] {
    return this.pages.items;
  }

  /** Whether all hours are there. */
  get isWhole(): boolean {
    return this.pages.isLoaded && this.pages.next === null;
  }
}
