// What the screens need to know of a message, whatever its channel.
import type { ChatMessage, MessageFailure, SmsMessage } from "messaging";

import { isTestId, mode } from "../../core/mode.svelte";
import { toWith } from "../../core/route.svelte";
import { session } from "../../core/session.svelte";
import { words } from "../../core/text";

export type Channel = "chat" | "sms";
export type Message = ChatMessage | SmsMessage;

/** The channel of a message or a number, which the prefix of its id says. */
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

/** Who is at the other end: a phone number or a WhatsApp user id. Of a group, nothing. */
export function contactOf(message: Message): string | undefined {
  if (isSms(message)) return isInbound(message) ? message.from : message.to;
  if (message.groupId) return undefined;
  return isInbound(message) ? (message.fromPhoneNumber ?? message.fromUserId) : (message.toPhoneNumber ?? message.toUserId);
}

export function numberIdOf(message: Message): string {
  return isSms(message) ? message.phoneNumberId : message.chatPhoneNumberId;
}

/** The text of a message. Nothing if it has none, or if the member may not see it. */
export function textOf(message: Message): string | undefined {
  if (isSms(message)) return message.text;
  return message.textBody ?? message.mediaCaption ?? message.buttonText ?? placeOf(message);
}

function placeOf(message: ChatMessage): string | undefined {
  return [message.locationName, message.locationAddress].filter(Boolean).join(", ") || undefined;
}

/** What kind of message it is, in words. */
export function kindOf(message: Message): string {
  if (isSms(message)) return words(message.type);
  if (message.type === "audio" && message.isVoiceNote) return "Voice message";
  if (message.type === "reaction") return message.reactionEmoji ? `Reaction ${message.reactionEmoji}` : "Reaction removed";
  return message.type === "unknown" ? "Message of a kind without fields" : words(message.type);
}

/** One line for lists: the text, or else the kind. */
export function excerptOf(message: Message): string {
  const text = textOf(message)?.replace(/\s+/g, " ").trim();
  const kind = kindOf(message);
  if (!text) return !isSms(message) && message.mediaFilename ? `${kind}: ${message.mediaFilename}` : kind;
  return isSms(message) || message.type === "text" ? text : `${kind}: ${text}`;
}

/** When a message was written, by the clock of the provider if it is known. */
export function timeOfMessage(message: Message): string {
  return (isSms(message) ? message.receivedAt : isInbound(message) ? message.sentAt : undefined) ?? message.createdAt;
}

/** A live key sees both modes. */
export function isOfMode(message: { id: string }): boolean {
  return isTestId(message.id) === (mode.current === "test");
}

/** A failure as far as it is a message. */
export function isFailureOfMode({ messageId }: MessageFailure): boolean {
  return isOfMode({ id: messageId });
}

/** The address of the form that sends. */
export function sendPlace(query: { app?: string | undefined; from?: string | undefined; to?: string | undefined; kind?: string | undefined } = {}): string {
  return toWith(["messages", "send"], query);
}

/** Where one can be the user who answers. The playground is for test mode, and its users have phone numbers. */
export function answerPlace(appId: string | undefined, numberId: string, contact: string | undefined): string | undefined {
  if (mode.current !== "test" || !contact?.startsWith("+") || !session.may("playground.chat.simulateInbound")) return undefined;
  return toWith(["playground"], { app: appId, number: numberId, user: contact, channel: channelOf(numberId) === "sms" ? "sms" : undefined });
}
