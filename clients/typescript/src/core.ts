// Sends requests: credentials, time limits, retries and responses.
import { checkedAddress } from "./address.ts";
import { Call, type Result } from "./call.ts";
import { MessagingError } from "./errors.ts";
import { errorOf, requestIdOf } from "./failure.ts";
import { AuthenticationError, ConnectionError, InternalError, TimeoutError } from "./generated/errors.ts";
import type { Page } from "./generated/types.ts";
import { List, type PageQuery } from "./list.ts";
import type { ClientOptions, Clock, Fetch, Options, PostOptions } from "./options.ts";
import { runtime, systemClock } from "./options.ts";
import { waitAfter } from "./retry.ts";

/** The version of the library, as package.json has it. A test compares them. */
export const VERSION = "0.1.0";
/** Longer than the gateway waits for the service, in milliseconds. */
const TIMEOUT = 35_000;
const MAX_RETRIES = 2;

/** What a request consists of. `keyed` says that the operation accepts an `Idempotency-Key`. */
type Parts = { body?: unknown; query?: object; keyed?: boolean };

/** A request, the same in each attempt. */
export interface Plan {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Returns the body anew for each attempt. */ body?: () => RequestInit["body"];
  /** Whether a second execution has no second effect. */ isSafe: boolean;
  /** Whether it goes to storage, which needs no credential. */ isForStorage?: boolean;
  /** What sends it, instead of `fetch`. */ fetch?: Fetch | undefined;
  options: Options;
}

/** Sends requests to one installation with one credential. */
export class Core {
  /** The address of the installation, without a slash at its end. */ readonly baseUrl: string;
  /** Time and chance. */ readonly clock: Clock;
  /** What sends requests, if it is not the global `fetch`. */ readonly injected: Fetch | undefined;
  readonly #options: ClientOptions;
  readonly #apiKey: ClientOptions["apiKey"];
  #credential: Promise<string> | undefined;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
    this.baseUrl = checkedAddress(options.baseUrl ?? runtime.env?.["MESSAGING_BASE_URL"]);
    this.#apiKey = options.apiKey === undefined ? runtime.env?.["MESSAGING_API_KEY"] : options.apiKey;
    if (this.#apiKey === undefined || this.#apiKey === "")
      throw new MessagingError("apiKey (or MESSAGING_API_KEY) is missing. Pass a key, or null for none.");
    this.clock = options.clock ?? systemClock;
    this.injected = options.fetch;
  }

  /** Begins a call of any operation: `client.call("GET", "/v1/health", {})`. */
  call<T>(method: string, path: string, { body, query, keyed }: Parts, options: PostOptions = {}): Call<T> {
    const headers: Record<string, string> = {};
    if (keyed) headers["idempotency-key"] = options.idempotencyKey ?? crypto.randomUUID();
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (text !== undefined) headers["content-type"] = "application/json";
    const url = this.baseUrl + path + queryOf(query);
    const isSafe = keyed || method === "GET" || method === "PUT";
    return new Call(this.execute<T>({ method, url, headers, body: () => text, isSafe, options }));
  }

  /** Returns a list, which sends no request yet. */
  list<Item>(path: string, query: PageQuery, options?: Options): List<Item> {
    const read = (cursor?: string) => this.call<Page<Item>>("GET", path, { query: { ...query, cursor } }, options);
    return new List(read, query.cursor);
  }

  /** Sends a request as it is, and repeats it where that has no second effect. */
  async execute<T>(plan: Plan): Promise<Result<T>> {
    const retries = plan.options.maxRetries ?? this.#options.maxRetries ?? MAX_RETRIES;
    let isRenewed = false;
    for (let retry = 0; ; ) {
      const credential = plan.isForStorage || this.#apiKey === null ? undefined : await this.#key();
      try {
        return await this.#attempt<T>(plan, credential);
      } catch (error) {
        if (error instanceof AuthenticationError && typeof this.#apiKey === "function" && !isRenewed) {
          isRenewed = true;
          // Another call may have replaced the credential already.
          if ((await this.#key()) === credential) this.#credential = undefined;
          continue;
        }
        const wait = retry < retries ? waitAfter(error, plan.isSafe, retry, this.clock) : undefined;
        if (wait === undefined) throw error;
        retry += 1;
        await this.clock.sleep(wait, plan.options.signal);
      }
    }
  }

  /** Returns the credential. A function is asked for it once, and again if it failed. */
  #key(): Promise<string> {
    const ask = async () => (typeof this.#apiKey === "function" ? this.#apiKey() : (this.#apiKey ?? ""));
    this.#credential ??= ask();
    this.#credential.catch(() => (this.#credential = undefined));
    return this.#credential;
  }

  async #attempt<T>(plan: Plan, credential: string | undefined): Promise<Result<T>> {
    const { signal, timeout = this.#options.timeout ?? TIMEOUT } = plan.options;
    signal?.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeout);
    const send = plan.fetch ?? this.injected ?? fetch;
    const { host } = new URL(plan.url);
    try {
      const response = await send(plan.url, {
        method: plan.method,
        headers: this.#headers(plan, credential),
        body: plan.body?.(),
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
        redirect: "manual",
        // Bodies that are streams need it.
        ...{ duplex: "half" },
      });
      return resultOf(response, await response.text(), this.clock.now());
    } catch (error) {
      if (error instanceof MessagingError) throw error;
      signal?.throwIfAborted();
      if (limit.signal.aborted) throw new TimeoutError(`${host} did not respond within ${timeout} ms.`, {}, error);
      throw new ConnectionError(`${host} cannot be reached: ${reasonOf(error)}.`, {}, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #headers(plan: Plan, credential: string | undefined): Record<string, string> {
    if (plan.isForStorage) return plan.headers;
    const headers: Record<string, string> = { accept: "application/json" };
    // Browsers name themselves.
    if (runtime.versions?.node) headers["user-agent"] = `messaging-client-typescript/${VERSION}`;
    if (credential !== undefined) headers["authorization"] = `Bearer ${credential.trim()}`;
    return { ...headers, ...this.#options.headers, ...plan.headers, ...plan.options.headers };
  }
}

/** Returns the resource of a response, or throws its error. */
function resultOf<T>(response: Response, text: string, now: number): Result<T> {
  const { status, headers } = response;
  const [body, isJson] = parsed(text);
  if (!response.ok) throw errorOf(response, body, now);
  const requestId = requestIdOf(headers);
  if (isJson || text === "")
    return { data: body as T, status, headers, requestId, isReplayed: headers.get("idempotency-replayed") === "true" };
  const facts = { status, headers, requestId, body };
  throw new InternalError("The response is not the API's. Check that baseUrl leads to an installation.", facts);
}

function parsed(text: string): [unknown, boolean] {
  try {
    return [JSON.parse(text), true];
  } catch {
    return [text || undefined, false];
  }
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Returns the innermost reason, which says most. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = (error ?? {}) as { message?: string; code?: string; cause?: unknown };
  return cause instanceof Error ? reasonOf(cause) : (message || code || String(error)).replace(/\.$/, "");
}
