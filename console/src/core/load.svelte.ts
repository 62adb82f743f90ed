// Loads what a screen shows: one object, or a list page by page, with its error and whether it is being loaded.
import { AuthenticationError, type Page } from "messaging";
import { untrack } from "svelte";

import { send } from "./clients";
import type { Answer, Request } from "./request";
import { session } from "./session.svelte";

/** Calls `begin` with each request that differs from the one before, and `again` when somebody has signed in after a session ended. */
function follow(make: () => Request | undefined, begin: (request: Request | undefined) => unknown, again: () => unknown): void {
  let asked: string | undefined | null = null;
  $effect(() => {
    const request = make();
    // A value that `make` reads may have changed without changing the request. What is shown then stays, including what was typed into it.
    const text = JSON.stringify(request);
    if (text === asked) return;
    asked = text;
    untrack(() => void begin(request));
  });
  $effect(() => {
    if (!session.hasEnded) untrack(() => void again());
  });
}

/** One response. `make` returns the request; nothing is sent while it returns nothing. */
export class Loaded<Name extends string> {
  data = $state.raw<Answer<Name>>();
  problem = $state<unknown>();
  isBusy = $state(false);
  readonly #make: () => Request<Name> | undefined;
  #turn = 0;

  constructor(make: () => Request<Name> | undefined) {
    this.#make = make;
    follow(make, (request) => this.#load(request as Request<Name> | undefined, true), () => this.problem instanceof AuthenticationError && this.reload());
  }

  /** The request, for "Show as code". */
  get request(): Request<Name> | undefined {
    return this.#make();
  }

  /** Sends the request again. What is shown stays until the response arrives. */
  reload = (): Promise<void> => this.#load(this.#make(), false);

  async #load(request: Request<Name> | undefined, isNew: boolean): Promise<void> {
    const turn = ++this.#turn;
    if (isNew) this.data = undefined;
    if (isNew) this.problem = undefined;
    this.isBusy = request !== undefined;
    if (!request) return;
    try {
      const data = await send(request);
      if (turn !== this.#turn) return;
      this.data = data;
      this.problem = undefined;
    } catch (error) {
      if (turn === this.#turn) this.problem = error;
    } finally {
      if (turn === this.#turn) this.isBusy = false;
    }
  }
}

/** A list. `make` returns the request for the page that begins at a cursor. */
export class Pages<Item extends object> {
  items = $state.raw<Item[]>([]);
  problem = $state<unknown>();
  isBusy = $state(false);
  /** Whether the first page has arrived. */
  isLoaded = $state(false);
  /** The cursor of the next page, if more follow. */
  next = $state<string | null>(null);
  readonly #make: (cursor?: string) => Request | undefined;
  readonly #idOf: (item: Item) => unknown;
  #turn = 0;
  #latest: () => Promise<void> = () => Promise.resolve();

  constructor(make: (cursor?: string) => Request | undefined, idOf: (item: Item) => unknown = (item) => (item as { id?: unknown }).id ?? item) {
    this.#make = make;
    this.#idOf = idOf;
    follow(make, (request) => this.#first(request), () => this.problem instanceof AuthenticationError && !this.isLoaded && this.reload());
  }

  get request(): Request | undefined {
    return this.#make();
  }

  /** Reads the first page again. What is shown stays until the response arrives. */
  reload = (): Promise<void> => this.#read(this.#make(), firstOf);

  /** Reads again what could not be read: the first page, or the one after those that are shown. */
  retry = (): Promise<void> => this.#latest();

  /** Reads the next page. */
  more = (): Promise<void> =>
    this.next === null ? Promise.resolve() : this.#read(this.#make(this.next), (page) => [this.#joined(this.items, page.data), page.nextCursor ?? null]);

  /** Looks for what is new or has changed on the first page, and keeps the pages that were read. */
  refresh = (): Promise<void> => {
    if (this.isBusy || !this.isLoaded) return Promise.resolve();
    return this.#read(this.#make(), (page) => this.#refreshed(page));
  };

  async #first(request: Request | undefined): Promise<void> {
    this.items = [];
    this.isLoaded = false;
    this.next = null;
    await this.#read(request, firstOf);
  }

  /** The first page as it is now, and the items that were read after it. Items that are no longer on the first page are dropped. */
  #refreshed(page: Page<Item>): [Item[], string | null] {
    const places = new Map(this.items.map((item, place) => [this.#idOf(item), place]));
    const last = places.get(page.data.map(this.#idOf).findLast((id) => places.has(id))) ?? -1;
    const next = page.nextCursor ?? null;
    // The page is the whole list, or so much is new that items may be missing in between.
    if (next === null || (last === -1 && page.data.length > 0)) return [page.data, next];
    return [this.#joined(page.data, this.items.slice(last + 1)), this.next];
  }

  #joined(first: Item[], second: Item[]): Item[] {
    const known = new Set(first.map(this.#idOf));
    return [...first, ...second.filter((item) => !known.has(this.#idOf(item)))];
  }

  async #read(request: Request | undefined, merge: (page: Page<Item>) => [items: Item[], next: string | null]): Promise<void> {
    const turn = ++this.#turn;
    this.#latest = () => this.#read(request, merge);
    this.problem = undefined;
    this.isBusy = request !== undefined;
    if (!request) return;
    try {
      const page = (await send(request)) as Page<Item>;
      if (turn !== this.#turn) return;
      [this.items, this.next] = merge(page);
      this.isLoaded = true;
    } catch (error) {
      if (turn === this.#turn) this.problem = error;
    } finally {
      if (turn === this.#turn) this.isBusy = false;
    }
  }
}

/** A list that is read to its end while `wanted` says so: for searching it, and for lists that are never long. */
export class AllPages<Item extends object> extends Pages<Item> {
  constructor(make: (cursor?: string) => Request | undefined, wanted: () => boolean = () => true) {
    super(make);
    $effect(() => {
      if (wanted() && this.isLoaded && this.next !== null && !this.isBusy && this.problem === undefined) void this.more();
    });
  }
}

/** Returns the items of all pages. */
export async function allOf<Item>(make: (cursor?: string) => Request): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = (await send(make(cursor))) as Page<Item>;
    items.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

function firstOf<Item>(page: Page<Item>): [Item[], string | null] {
  return [page.data, page.nextCursor ?? null];
}
