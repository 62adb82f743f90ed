// The action of a button: sends one request at a time, and keeps its error.
import { MessagingError } from "messaging";

import { send, type SendOptions } from "./clients";
import type { Answer, Request } from "./request";

export class Action {
  isBusy = $state(false);
  problem = $state<unknown>();
  #last = "";
  #key = "";

  /** Sends a request and returns its response, or nothing if it failed. */
  async run<Name extends string>(request: Request<Name>, options: SendOptions = {}): Promise<Answer<Name> | undefined> {
    if (this.isBusy) return undefined;
    this.isBusy = true;
    this.problem = undefined;
    const idempotencyKey = this.#keyOf(request);
    try {
      const answer = await send(request, { idempotencyKey, ...options });
      this.#last = "";
      return answer;
    } catch (error) {
      this.problem = error;
      if (isFinal(error)) this.#last = "";
      return undefined;
    } finally {
      this.isBusy = false;
    }
  }

  /** The field that the error is about. */
  get param(): string | undefined {
    return this.problem instanceof MessagingError ? this.problem.param : undefined;
  }

  /** The error's message, if it is about this field or a part of it. */
  at(field: string): string | undefined {
    return isAbout(this.param, field) ? (this.problem as MessagingError).message : undefined;
  }

  #keyOf(request: Request): string {
    const now = JSON.stringify(request, (_, value: unknown) => (value instanceof Blob ? fingerprintOf(value) : value));
    if (now !== this.#last) this.#key = crypto.randomUUID();
    this.#last = now;
    return this.#key;
  }
}

/** Whether an error's `param`, such as `events[2]` or `rateLimit.burst`, is a field or a part of it. */
export function isAbout(param: string | undefined, field: string): boolean {
  return param !== undefined && (param === field || param.startsWith(`${field}.`) || param.startsWith(`${field}[`));
}

/** Whether the request was rejected for good, so that the next one gets a new idempotency key. Otherwise, it may still take effect, and a retry must not repeat that. */
function isFinal(error: unknown): boolean {
  return error instanceof MessagingError && error.status !== undefined && error.status < 500 && error.retryAfter === undefined;
}

/** Tells files apart: as JSON, all of them are `{}`. */
function fingerprintOf(file: Blob): unknown[] {
  return [file.size, file.type, ...(file instanceof File ? [file.name, file.lastModified] : [])];
}
