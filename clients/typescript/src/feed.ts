// Following the feed of an app's events.
import type { Call } from "./call.ts";
import type { Event } from "./generated/events.ts";
import type { EventPage } from "./generated/types.ts";
import { Namespace } from "./namespace.ts";
import type { Options } from "./options.ts";
import { backoff, isTemporary } from "./retry.ts";

/** The options of following a feed. */
export interface FollowOptions<Type extends Event["type"] = Event["type"]> extends Options {
  /** The position to continue after, `oldest`, or nothing for the events from now on. */ after?: string;
  /** Only events with these names. */ types?: readonly Type[];
  /** Called with each new position, after all events before it were processed. Store it, and begin there next time. */
  onPosition?: (position: string) => void | Promise<void>;
  /** The time between two requests when nothing is new, in milliseconds: 1,000 by default. */ interval?: number;
}

/** The feed of the app whose key the client has. */
export abstract class Feed extends Namespace {
  abstract list(query?: object, options?: Options): Call<EventPage>;

  /** Iterates over events for ever: those after a position, and new ones as they come. Failures that pass are waited
   * out. To end it, leave the loop or abort the signal.
   * @throws {NotFoundError} 410: Events after the position can no longer be read; `additionalInfo` has the oldest. */
  async *follow<Type extends Event["type"] = Event["type"]>(
    options: FollowOptions<Type> = {},
  ): AsyncGenerator<Extract<Event, { type: Type }>, never, undefined> {
    let { after, types, onPosition, interval = 1000, ...each } = options;
    const { clock } = this.core;
    for (let failures = 0; ; ) {
      let page: EventPage;
      try {
        page = await this.list({ after, types: types?.join(","), limit: 100 }, each);
        failures = 0;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        await clock.sleep(interval + backoff(failures++, clock), each.signal);
        continue;
      }
      yield* page.data as Extract<Event, { type: Type }>[];
      const isNew = page.nextAfter !== after;
      after = page.nextAfter;
      await (isNew ? onPosition?.(after) : clock.sleep(interval, each.signal));
    }
  }
}
