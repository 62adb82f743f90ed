// How a client is made, and how a single call can differ. Times are in milliseconds.
/** What sends requests: `fetch`, or a function like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A key or session token, or a function that returns one. It is called again after a 401. */
export type ApiKey = string | (() => string | Promise<string>);

/** Time and chance, which tests can replace. Time limits of requests use the timers of the platform. */
export interface Clock {
  /** The time since 1970. */ now(): number;
  /** Waits so long, or until the signal aborts. */ sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 up to, but not including, 1. */ random(): number;
}

/** The options of a client. */
export interface ClientOptions {
  /** By default, the variable `MESSAGING_API_KEY`. With `null`, requests have no credential. */ apiKey?: ApiKey | null;
  /** The installation: `https`, or `http` on this machine. By default, `MESSAGING_BASE_URL`. */ baseUrl?: string;
  /** The time limit of each attempt: 35,000 by default, longer than the service takes. */ timeout?: number;
  /** How often a request is repeated at most, where that has no second effect: 2 by default. */ maxRetries?: number;
  /** Headers of every request. Browsers send only those that the service allows. */ headers?: Record<string, string>;
  /** What sends requests instead of the global `fetch`. */ fetch?: Fetch;
  /** Time and chance. */ clock?: Clock;
}

/** The options of a call. */
export interface Options {
  /** The time limit of each attempt. */ timeout?: number;
  /** How often the request is repeated at most. */ maxRetries?: number;
  /** Ends the call, which then rejects with the signal's reason. */ signal?: AbortSignal;
  /** More headers. */ headers?: Record<string, string>;
}

/** The options of a call that accepts an `Idempotency-Key`. */
export interface PostOptions extends Options {
  /** With the same key and input, a call has no second effect for 24 hours, not even in another process. Without it,
   * each call has a random key, the same for its retries. */
  idempotencyKey?: string;
}

/** The clock of the platform. */
export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => (clearTimeout(timer), reject(signal?.reason));
      const timer = setTimeout(() => (signal?.removeEventListener("abort", abort), resolve()), milliseconds);
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort, { once: true });
    }),
};

type Variables = Record<string, string | undefined>;
type Process = { env?: Variables; versions?: { node?: string }; getBuiltinModule?(name: string): unknown };
/** The process of Node.js, which browsers lack. */
export const runtime: Process = (globalThis as { process?: Process }).process ?? {};
