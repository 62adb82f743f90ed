// What the screen says of a message beside core/message.ts: its other party, its words, and where it leads.
import type { ChatMessage, MessageFailure } from "messaging";

import { channelOf, isInbound, isSms, type Message } from "../../core/message";
import { isTestId, mode } from "../../core/mode.svelte";
import { toWith } from "../../core/route.svelte";
import { session } from "../../core/session.svelte";
import { words } from "../../core/text";

/** The other party: a phone number or a WhatsApp user id; nothing for a group. */
export function contactOf(message: Message): string | undefined {
  if (isSms(message)) return isInbound(message) ? message.from : message.to;
  if (message.groupId) return undefined;
  return isInbound(message) ? (message.fromPhoneNumber ?? message.fromUserId) : (message.toPhoneNumber ?? message.toUserId);
}

export function numberIdOf(message: Message): string {
  return isSms(message) ? message.phoneNumberId : message.chatPhoneNumberId;
}

/** The text of a message. Nothing if it has none, or if the member may not see it. */
function textOf(message: Message): string | undefined {
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

/** When a message was written, by the provider's clock if that time is known. */
export function timeOfMessage(message: Message): string {
  return (isSms(message) ? message.receivedAt : isInbound(message) ? message.sentAt : undefined) ?? message.createdAt;
}

/** Whether a message belongs to the current mode. A live key sees both modes. */
export function isOfMode(message: { id: string }): boolean {
  return isTestId(message.id) === (mode.current === "test");
}

/** The same for an entry of the list of failures. */
export function isFailureOfMode({ messageId }: MessageFailure): boolean {
  return isOfMode({ id: messageId });
}

/** The address of the form that sends. */
export function sendPlace(query: { app?: string | undefined; from?: string | undefined; to?: string | undefined; kind?: string | undefined } = {}): string {
  return toWith(["messages", "send"], query);
}

/** The playground with this contact as the user, who can reply there. Only in test mode, and only for contacts with a phone number. */
export function answerPlace(appId: string | undefined, numberId: string, contact: string | undefined): string | undefined {
  if (mode.current !== "test" || !contact?.startsWith("+") || !session.may("playground.chat.simulateInbound")) return undefined;
  return toWith(["playground"], { app: appId, number: numberId, user: contact, channel: channelOf(numberId) === "sms" ? "sms" : undefined });
}
