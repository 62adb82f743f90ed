// What a failed attempt means, and what to do about it (docs/events.md).
import type { Webhook, WebhookDelivery, WebhookDeliveryAttempt } from "messaging";

import { isQueue, nameOf } from "./states";

export interface Reason {
  what: string;
  remedy: string;
}

/** By the beginning of the error, for attempts without a complete response. */
const WITHOUT_RESPONSE: [RegExp, string, string][] = [
  [/^No complete response.*sent again/, "Your receiver did not respond within 2 seconds, so the event goes to the slower queue and gets 15 seconds.", "This attempt does not count as a failure. Respond first and work afterwards, then events arrive sooner and once."],
  [/^No complete response/, "Your receiver did not respond within 15 seconds.", "Store the event, respond with 2xx, and do the work afterwards. Check whether the receiver waits for a database or another service."],
  [/^The connection was refused or timed out/, "Nothing accepts connections at this address.", "Check that the receiver runs, that the port is right, and that a firewall lets requests from the internet through."],
  [/^The TLS handshake failed/, "The receiver's certificate is not accepted: it has expired, is for another name, is self-signed, or its chain is incomplete.", "Renew the certificate, or send the whole chain. `openssl s_client -connect {host} -servername {name}` shows what the receiver sends."],
  [/^The host name cannot be verified/, "A certificate cannot be for this host name.", "Use a proper host name in the address of the webhook."],
  [/^The host name (could not be resolved|has no address)/, "The host name has no address in the DNS.", "Check the spelling of the address, and whether the DNS entry exists."],
  [/outside the public internet/, "The host name leads to a private address, which the service never contacts.", "Use an address on the public internet. For a program on your own machine, run `messaging listen --forward-to http://localhost:3000/webhooks`."],
  [/^The connection was closed/, "The receiver closed the connection, or did not speak HTTP.", "Look for crashes in the receiver's log, and check that the port speaks the protocol of the address (http or https)."],
  [/^The response ended early/, "The response broke off.", "Look for crashes and time limits of the receiver or of a proxy in front of it."],
  [/^The URL/, "The address is not allowed any more.", "Edit the webhook and enter another address."],
  [/bytes per day/, "The daily limit of test mode on posted bytes is reached, so nothing was sent.", "Redeliver it tomorrow (UTC), or recover all of today's deliveries then."],
];

const BY_STATUS: Record<number, [string, string]> = {
  400: ["The receiver rejected the request. Receivers respond with 400 when the signature does not match.", "Check that the receiver has the secret of this webhook, and that it verifies the bytes as they came, before they are parsed."],
  401: ["The receiver asks for credentials.", "Let requests to this path through and verify the signature instead, or add an Authorization header to the webhook."],
  403: ["The receiver, or a firewall in front of it, refuses the request.", "Exempt this path from protection against bots and forged requests. The signature shows who sends."],
  404: ["The receiver has nothing at this path.", "Check the path in the address of the webhook."],
  405: ["The receiver does not accept POST at this path.", "Check the path in the address of the webhook. Deliveries are POST requests."],
  408: ["The receiver gave up waiting.", "Check the proxy in front of the receiver."],
  410: ["The receiver says that it is gone for good, so the webhook was disabled and nothing is attempted again.", "If that is not true, respond with 2xx, enable the webhook, and recover the deliveries that were missed."],
  413: ["The event is too large for the receiver.", "Accept bodies of at least 1 MB. Events have up to about 400 KiB."],
  415: ["The receiver does not accept this kind of body.", "Accept bodies of type application/json."],
  429: ["The receiver asks to slow down.", "A Retry-After of up to 24 hours is respected. Otherwise the usual schedule applies."],
  502: ["A proxy got no response from the receiver.", "Check that the receiver runs behind its proxy."],
  503: ["The receiver, or its proxy, says that it cannot work now.", "Check that the receiver runs. Deliveries are attempted again until it works, for about three days."],
  504: ["A proxy waited too long for the receiver.", "Respond first and work afterwards."],
};

/** Why an attempt failed; nothing if it did not. */
export function reasonOf(attempt: WebhookDeliveryAttempt, address = ""): Reason | undefined {
  const { error, statusCode } = attempt;
  if (error !== undefined) return ofError(error, address);
  if (statusCode === undefined || (statusCode >= 200 && statusCode < 300)) return undefined;
  const known = BY_STATUS[statusCode];
  if (known) return { what: known[0], remedy: known[1] };
  if (statusCode >= 300 && statusCode < 400) {
    return { what: "The receiver redirects to another address, and redirects are not followed.", remedy: "Enter the final address in the webhook. Look for a missing slash at its end, or for http instead of https." };
  }
  if (statusCode >= 500) {
    return { what: "The receiver failed while it worked on the event.", remedy: "Look into its log at the time of the attempt. The header webhook-id has the id of the event." };
  }
  return { what: "The receiver rejected the request.", remedy: "Only 2xx counts as success. Look into the receiver's log at the time of the attempt." };
}

function ofError(error: string, address: string): Reason {
  const found = WITHOUT_RESPONSE.find(([beginning]) => beginning.test(error));
  // Errors of queues explain themselves.
  if (!found) return { what: error, remedy: isQueue(address) ? "The operator of this installation can change what it may send to." : "The delivery is attempted again." };
  const host = nameOf(address);
  const name = host.replace(/:\d+$/, "");
  return { what: found[1], remedy: found[2].replace("{host}", host === name ? `${name}:443` : host).replace("{name}", name) };
}

/** What a delivery without an attempt waits for, or why there is none. */
export function withoutAttempt(delivery: WebhookDelivery, webhook: Webhook | undefined): string {
  if (delivery.status === "SKIPPED") return webhook?.disabledAt ? "It was not sent, because the webhook is disabled. Enable it, then redeliver." : "It was not sent, because the webhook was disabled then. Redeliver it.";
  if (delivery.status === "PENDING") return "It has not been attempted yet. While a receiver fails, new deliveries wait until it works again.";
  return "Nothing is known about its attempts.";
}
