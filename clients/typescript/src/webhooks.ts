// Verifying deliveries to webhooks: Standard Webhooks 1.0.
import { MessagingError } from "./errors.ts";
import { WebhookVerificationError } from "./generated/errors.ts";
import type { Event } from "./generated/events.ts";
import { Namespace } from "./namespace.ts";

/** The headers of a delivery, as any server has them. */
export type DeliveryHeaders = Headers | Record<string, string | readonly string[] | undefined>;

/** The options of verifying. */
export interface VerifyOptions {
  /** How old or how far in the future a delivery may be, in seconds: 300 by default. */ tolerance?: number;
  /** Returns the time in milliseconds since 1970. */ now?: () => number;
}

/** Returns the event of a delivery that the service has signed. `body` is what came, byte for byte, not parsed. While a
 * secret is being replaced, pass both.
 * @throws {WebhookVerificationError} The signature does not match, or the delivery is not recent. Respond with 400. */
export async function verify(
  body: string | Uint8Array | ArrayBuffer,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now }: VerifyOptions = {},
): Promise<Event> {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const [id, time, signatures] = names.map((name) => headerOf(headers, name));
  if (!id || !time || !signatures) throw new WebhookVerificationError(`Headers are missing: ${names.join(", ")}.`);
  if (!/^\d+$/.test(time) || Math.abs(now() / 1000 - Number(time)) > tolerance)
    throw new WebhookVerificationError("The delivery is not recent. Check the clock of this machine.");
  const bytes = bytesOf(body);
  const signed = await new Blob([`${id}.${time}.`, bytes]).arrayBuffer();
  const expected = signatures.split(" ").filter((each) => each.startsWith("v1,")).map((each) => decoded(each.slice(3)));
  for (const each of [secret].flat() as string[]) {
    const key = await crypto.subtle.importKey("raw", keyOf(each), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    // Compares in constant time.
    for (const signature of expected)
      if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed)))
        return eventIn(bytes);
  }
  throw new WebhookVerificationError("The signature does not match. Check the secret, and that the body is unchanged.");
}

/** The methods of `webhooks` that need no request. */
export class Receiver extends Namespace {
  /** Returns the event of a delivery that the service has signed. Receivers without a client import `webhooks`. */
  verify(...delivery: Parameters<typeof verify>): Promise<Event> {
    return verify(...delivery);
  }
}

function eventIn(bytes: Uint8Array<ArrayBuffer>): Event {
  const body = tried(() => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  if (body instanceof Object && !Array.isArray(body)) return body as Event;
  throw new WebhookVerificationError("The body is signed, but is not the JSON object of an event.");
}

function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : value?.[0];
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new MessagingError("body must be what came, as a string or bytes. Read it before it is parsed.");
}

function keyOf(secret: string | undefined): Uint8Array<ArrayBuffer> {
  const key = decoded(secret?.replace(/^whsec_/, "") ?? "");
  if (key?.length) return key;
  throw new MessagingError("secret must be the signing secret of the webhook: whsec_ and base64.");
}

const decoded = (base64: string) => tried(() => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
