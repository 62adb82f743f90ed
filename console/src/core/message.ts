// What all screens say of a message, whatever its channel: its channel, its direction, and the state that counts.
import type { ChatMessage, SmsMessage } from "messaging";

export type Channel = "chat" | "sms";
export type Message = ChatMessage | SmsMessage;

/** The channel of a message or a number, by the prefix of its id. */
export function channelOf(id: string): Channel {
  return /^(msg_sms|ph)_/.test(id) ? "sms" : "chat";
}

export function isSms(message: Message): message is SmsMessage {
  return channelOf(message.id) === "sms";
}

export function isInbound(message: Message): boolean {
  return message.direction === "INBOUND";
}

/** The state that counts: how far the message has got. The outcome, if it has got nowhere. */
export function stateOf(message: Message): string {
  if (isInbound(message)) return "RECEIVED";
  const status = isSms(message) ? message.status : chatStatus(message);
  const { outcome } = message;
  if (status === "FAILED") return outcome === "REFUSED" || outcome === "EXPIRED" ? outcome : "FAILED";
  if (status !== "QUEUED" || !outcome) return status;
  // A message that waits without having been accepted is in the queue, or on its way to the provider.
  return outcome === "PENDING" ? "QUEUED" : outcome;
}

/** Whether it reached nobody. */
export function hasFailed(message: Message): boolean {
  return isFailedState(stateOf(message));
}

export function isFailedState(state: string): boolean {
  return ["FAILED", "REFUSED", "EXPIRED"].includes(state);
}

/** As the API's filter `status` has it: evidence of delivery counts more than a failure. */
function chatStatus(message: ChatMessage): string {
  if (message.readAt) return "READ";
  if (message.deliveredAt) return "DELIVERED";
  if (message.failedAt) return "FAILED";
  return message.sentAt ? "SENT" : "QUEUED";
}
