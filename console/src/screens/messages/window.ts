// The 24-hour window of a conversation at WhatsApp: for 24 hours after a contact has written, any type can be sent.
import type { ChatMessage } from "messaging";

const LENGTH = 24 * 3_600_000;

export interface Window {
  /** When it ends or ended; nothing if the contact has never written. */
  endsAt: Date | undefined;
  isOpen: boolean;
  /** In milliseconds. */
  left: number;
}

/** The window after the last message of the contact. System messages do not open it. */
export function windowOf(messages: ChatMessage[], now: number, isTest: boolean): Window {
  const times = messages.filter(({ direction, type }) => direction === "INBOUND" && type !== "system").map((message) => Date.parse(message.sentAt ?? message.createdAt));
  // The simulated WhatsApp lets you write first.
  if (times.length === 0) return { endsAt: undefined, isOpen: isTest, left: 0 };
  const end = Math.max(...times) + LENGTH;
  return { endsAt: new Date(end), isOpen: end > now, left: Math.max(0, end - now) };
}
