// Sends requests with keys that live for 15 minutes and exist only here, in memory.
import { List, Messaging, MessagingError, type CreateSessionKey } from "messaging";

import { mode } from "./mode.svelte";
import { idsOf, operation } from "./operations";
import type { Answer, Request } from "./request";
import { BASE, cookieClient, session } from "./session.svelte";

export interface SendOptions {
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** How often the library repeats the request at most. */
  maxRetries?: number;
}

/** A client for each mode and each app that was used. */
const clients = new Map<string, Messaging>();

/** Sends a request. A list resolves to the page that the request asks for. */
export async function send<Name extends string>(request: Request<Name>, options: SendOptions = {}): Promise<Answer<Name>> {
  const client = request.app === undefined ? clientOf(request.mode ?? mode.current) : clientOf("app", request.app);
  const path = request.name.split(".");
  const last = path.pop() ?? "";
  const owner = path.reduce<any>((at, name) => at[name], client);
  const { path: address, takes } = operation(request.name);
  const args = [...request.args];
  // Arguments that the request leaves out are filled in, so that the options come last.
  while (args.length < idsOf(address).length + (takes === "nothing" ? 0 : 1)) args.push({});
  const result = owner[last](...args, request.headers ? { ...options, headers: request.headers } : options);
  return (await (result instanceof List ? result.page() : result)) as Answer<Name>;
}

/** Returns the client of an app, for uploads: they take more than one request. */
export function appClient(appId: string): Messaging {
  return clientOf("app", appId);
}

function clientOf(kind: "live" | "test" | "app", app = ""): Messaging {
  const place = `${kind} ${app}`;
  const made = clients.get(place) ?? new Messaging({ apiKey: () => newKey(app ? { appId: app } : { mode: kind as "live" | "test" }), baseUrl: BASE });
  clients.set(place, made);
  return made;
}

/** Creates a key. The library asks for one once, and again after it has expired. */
async function newKey(wanted: CreateSessionKey): Promise<string> {
  try {
    await session.confirm();
    return (await cookieClient.session.createKey(wanted)).key;
  } catch (error) {
    if (error instanceof MessagingError && error.status === 401) session.hasEnded = true;
    throw error;
  }
}
