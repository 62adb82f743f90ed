// What states and failures of messages mean.
import type { MessageProvider } from "messaging";

import { meaningOfCode } from "../../core/codes";
import type { Channel } from "../../core/message";
import { BASE } from "../../core/session.svelte";

/** Why a message failed, as messages, recipients and the list of failures have it. */
export interface Failure {
  errorCode?: string | undefined;
  errorMessage?: string | undefined;
  errorTitle?: string | undefined;
  errorDetails?: string | undefined;
  provider?: MessageProvider | undefined;
}

const MEANINGS: Record<string, [chat: string, sms: string]> = {
  RECEIVED: ["The contact has sent this message to you.", "The contact has sent this message to you."],
  QUEUED: ["It waits to be sent, here or at WhatsApp. Do not send it again.", "It waits to be sent, here or at the carrier. Do not send it again."],
  ACCEPTED: ["WhatsApp has accepted it. Whether it arrives is reported later.", "The carrier has accepted it. Whether it arrives is reported later."],
  SENT: ["WhatsApp has sent it. It has not reached the phone yet.", "The carrier has passed it on. Some networks never report more."],
  DELIVERED: ["It has reached the phone. Users can hide that they have read a message.", "A receipt reports that it was delivered."],
  READ: ["The recipient has read it.", "The recipient has read it."],
  UNKNOWN: ["It may have been sent: the response of WhatsApp is not known. Its first status resolves this. Do not send it again before you have decided that two messages are better than none.",
    "It may have been sent: the response of the carrier is not known. Its receipt resolves this. Do not send it again before you have decided that two messages are better than none."],
  REFUSED: ["It was not sent.", "It was not sent."],
  EXPIRED: ["It waited in the queue for too long and was not sent. Send a new message if it still matters.", "It waited in the queue for too long and was not sent. Send a new message if it still matters."],
  FAILED: ["It was accepted, but did not reach the recipient.", "It was accepted, but did not reach the recipient."],
};

/** A sentence that says what a state means. */
export function meaningOf(state: string, channel: Channel): string | undefined {
  return MEANINGS[state]?.[channel === "chat" ? 0 : 1];
}

/** The sentence that says why a message failed: the same wherever the failure is shown. */
export function reasonOf({ errorCode, errorMessage }: Failure): string {
  return errorMessage ?? (errorCode && (meaningOfCode(errorCode) ?? errorCode)) ?? "No reason was reported.";
}

/** The same for a list, with the code of the provider. */
export function lineOfReason(failure: Failure): string {
  const { provider } = failure;
  return provider ? `${reasonOf(failure)} · ${provider.source === "carrier" ? "Carrier" : "WhatsApp"}: ${provider.code}` : reasonOf(failure);
}

/** The entry of a code in the API reference. */
export function docOf(code: string): string {
  return `${BASE}/api_reference/error-codes#${encodeURIComponent(code)}`;
}
