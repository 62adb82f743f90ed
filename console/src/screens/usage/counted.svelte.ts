// The rows of usage for a range: all pages, up to a bound.
import type { UsageGap, UsageRow } from "messaging";
import { untrack } from "svelte";

import { send } from "../../core/clients";
import type { Request } from "../../core/request";

/** How many pages of up to 400 rows are read, at most. */
const MOST_PAGES = 20;

/** A page of usage. Beside its rows, it says how far the counters are. */
interface UsagePage {
  data: UsageRow[];
  nextCursor: string | null;
  countedUntil?: string | null;
  gaps?: UsageGap[];
}

type Make = (cursor?: string) => Request<"organization.usage.list"> | undefined;

export class Counted {
  rows = $state.raw<UsageRow[]>([]);
  countedUntil = $state<string | null>();
  gaps = $state.raw<UsageGap[]>([]);
  problem = $state<unknown>();
  isBusy = $state(false);
  isLoaded = $state(false);
  /** How many pages have been read, while they are being read. */
  pages = $state(0);
  /** Whether more rows exist than were read. */
  hasMore = $state(false);
  readonly #make: Make;
  #turn = 0;

  constructor(make: Make) {
    this.#make = make;
    // A choice that leads to the same request sends nothing.
    const wanted = $derived(JSON.stringify(make()));
    $effect(() => {
      void wanted;
      untrack(() => this.#start());
    });
  }

  get request(): Request<"organization.usage.list"> | undefined {
    return this.#make();
  }

  #start(): void {
    this.isLoaded = false;
    this.rows = [];
    void this.reload();
  }

  /** Reads again, if that takes only one page. */
  refresh = (): Promise<void> => (this.pages > 1 || this.isBusy ? Promise.resolve() : this.reload());

  reload = async (): Promise<void> => {
    const turn = ++this.#turn;
    this.problem = undefined;
    this.isBusy = true;
    try {
      const read = await this.#read(turn);
      if (turn !== this.#turn || !read) return;
      this.rows = read;
      this.isLoaded = true;
    } catch (error) {
      if (turn === this.#turn) this.problem = error;
    } finally {
      if (turn === this.#turn) this.isBusy = false;
    }
  };

  /** Returns the rows of all pages; nothing once something else is wanted. */
  async #read(turn: number): Promise<UsageRow[] | undefined> {
    const rows: UsageRow[] = [];
    let cursor: string | null | undefined;
    for (let read = 0; read < MOST_PAGES && cursor !== null; read += 1) {
      const request = this.#make(cursor);
      if (!request || turn !== this.#turn) return undefined;
      const page: UsagePage = await send(request);
      if (turn !== this.#turn) return undefined;
      rows.push(...page.data);
      cursor = page.nextCursor;
      if (read === 0) this.#begin(page);
      this.pages = read + 1;
    }
    this.hasMore = cursor !== null;
    return rows;
  }

  #begin({ countedUntil, gaps }: UsagePage): void {
    this.countedUntil = countedUntil;
    this.gaps = gaps ?? [];
  }
}
