// A message as the phone shows it, whichever channel it came by.
import type { ChatMessage, SmsMessage } from "messaging";

import { stateOf, type Message } from "../../core/message";
import { words } from "../../core/text";

export interface Line {
  id: string;
  /** Whether the user wrote it. */
  isUser: boolean;
  at: string;
  /** The status that the app sees; nothing for a message of the user. */
  status: string | undefined;
  /** Whether the user never got it. */
  isLost: boolean;
  error: string | undefined;
  /** What kind of message it is, unless it is a text. */
  label: string | undefined;
  text: string | undefined;
  image: string | undefined;
  /** The message of WhatsApp, whose details may have more to show. */
  chat: ChatMessage | undefined;
}

const DAY = 86_400_000;

export function lineOf(message: Message): Line {
  return "chatPhoneNumberId" in message ? chatLine(message) : smsLine(message);
}

function chatLine(message: ChatMessage): Line {
  const isUser = message.direction === "INBOUND";
  const isShown = message.mediaUrl !== undefined && (message.type === "image" || message.type === "sticker");
  return {
    ...common(message, isUser),
    label: labelOf(message),
    text: message.textBody ?? message.mediaCaption ?? message.buttonText ?? placeOf(message),
    image: isShown ? message.mediaUrl : undefined,
    chat: message,
  };
}

function smsLine(message: SmsMessage): Line {
  const isUser = message.direction === "INBOUND";
  const label = message.mediaId ? "MMS" : undefined;
  return { ...common(message, isUser), label, text: message.text, image: undefined, chat: undefined };
}

function common(message: Message, isUser: boolean) {
  const status = isUser ? undefined : stateOf(message);
  const hasFailed = !isUser && (message.failedAt !== undefined || message.outcome === "REFUSED" || message.outcome === "EXPIRED");
  const reason = message.errorMessage ?? message.errorCode;
  // What was written by a user has the time at which they wrote it. A message can fail after it was delivered; then the user has it.
  return { id: message.id, isUser, at: (isUser && message.sentAt) || message.createdAt, status, isLost: hasFailed && !message.deliveredAt, error: hasFailed ? reason : undefined };
}

function labelOf(message: ChatMessage): string | undefined {
  if (message.revokedAt) return "Deleted by its sender";
  if (message.type === "reaction") return message.reactionEmoji ? `Reacted with ${message.reactionEmoji}` : "Removed the reaction";
  if (message.type === "interactive") return message.direction === "INBOUND" ? "Pressed a button" : undefined;
  if (message.type === "template") return undefined;
  if (message.type === "unknown") return "A message that WhatsApp does not pass on";
  if (message.type === "button") return "Pressed a button";
  if (message.type === "text") return [message.isForwarded && "Forwarded", message.hasReferral && "From an advertisement", message.replyToMessageId && "Reply"].filter(Boolean).join(" · ") || undefined;
  return [words(message.type), message.mediaFilename].filter(Boolean).join(": ");
}

function placeOf({ locationName, locationAddress, locationLatitude, locationLongitude }: ChatMessage): string | undefined {
  const degrees = locationLatitude && locationLongitude ? `${locationLatitude}, ${locationLongitude}` : undefined;
  return [locationName, locationAddress, degrees].filter(Boolean).join("\n") || undefined;
}

/** The phone number of the user; nothing in a group, or if WhatsApp does not share it. */
export function contactOf(message: Message): string | undefined {
  const isUser = message.direction === "INBOUND";
  if (!("chatPhoneNumberId" in message)) return isUser ? message.from : message.to;
  return message.groupId ? undefined : isUser ? message.fromPhoneNumber : message.toPhoneNumber;
}

/** Whether 24 hours have passed since the user last wrote. To users who have never written, test mode lets everything pass. */
export function isWindowClosed(lines: Line[], now = Date.now()): boolean {
  const last = lines.findLast(({ isUser }) => isUser);
  return last !== undefined && now - new Date(last.at).getTime() > DAY;
}
