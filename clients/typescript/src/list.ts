// Lists: all objects one after another, or page by page.
import type { Call } from "./call.ts";
import type { Page } from "./generated/types.ts";

/** The query of every list. */
export interface PageQuery {
  /** The maximum number of objects on a page: 1 to 100, 25 by default. */ limit?: number;
  /** Where to begin: `nextCursor` of the page before. */ cursor?: string;
}

/** A list. `for await` reads page after page, each when it is needed. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Call<Page<Item>>;
  readonly #first: string | undefined;

  constructor(read: (cursor: string | undefined) => Call<Page<Item>>, first: string | undefined) {
    this.#read = read;
    this.#first = first;
  }

  /** Returns one page: the first, or the one of the query's `cursor`. */
  page(): Call<Page<Item>> {
    return this.#read(this.#first);
  }

  /** Iterates over the pages. A page may be empty although more follow. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let cursor: string | null | undefined = this.#first; cursor !== null; ) {
      const page: Page<Item> = await this.#read(cursor);
      yield page;
      cursor = page.nextCursor ?? null;
    }
  }

  /** Iterates over the objects of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }
}
