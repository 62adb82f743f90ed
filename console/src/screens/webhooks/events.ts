// The events that a webhook can subscribe to, in the groups in which people look for them.
import type { EventName } from "messaging";

import { session } from "../../core/session.svelte";

/** When each event occurs. The type makes sure that none is missing. */
const ABOUT = {
  "messages.chat.received": "Somebody wrote to one of the app's WhatsApp numbers",
  "messages.chat.sent": "WhatsApp has sent the message",
  "messages.chat.delivered": "It is on the recipient's phone",
  "messages.chat.read": "The recipient has read it",
  "messages.chat.failed": "It could not be delivered",
  "messages.sms.received": "Somebody wrote to one of the app's phone numbers",
  "messages.sms.sent": "The carrier has sent the message",
  "messages.sms.delivered": "It is on the recipient's phone",
  "messages.sms.failed": "It could not be delivered, was refused, or has expired",
  "templates.chat.created": "A template is new",
  "templates.chat.connected": "A template was approved",
  "templates.chat.updated": "A template has changed",
  "templates.chat.deleted": "A template is gone",
  "contacts.chat.created": "Somebody is in touch for the first time",
  "contacts.chat.updated": "A name, a number, or the choice about marketing messages has changed",
  "contacts.chat.deleted": "A contact was removed, or merged into another one",
  "chat.account.connected": "An account was connected",
  "chat.account.disconnected": "An account was disconnected",
} satisfies Record<EventName, string>;

export const EVENT_NAMES = Object.keys(ABOUT) as EventName[];

export function about(name: string): string {
  return ABOUT[name as EventName] ?? "An event of a later version of the service";
}

export interface Group {
  label: string;
  names: string[];
}

const GROUPS: [string, string][] = [
  ["WhatsApp messages", "messages.chat."],
  ["SMS and MMS messages", "messages.sms."],
  ["Templates", "templates.chat."],
  ["Contacts", "contacts.chat."],
  ["WhatsApp accounts", "chat.account."],
];

/** All events in groups, with those of later versions that a webhook already has. */
export function groupsWith(more: readonly string[]): Group[] {
  const groups = GROUPS.map(([label, start]) => ({ label, names: EVENT_NAMES.filter((name) => name.startsWith(start)) as string[] }));
  const unknown = more.filter((name) => !(name in ABOUT));
  return unknown.length > 0 ? [...groups, { label: "Others", names: unknown }] : groups;
}

function listensToMessages(events: readonly string[]): boolean {
  return events.some((name) => name.startsWith("messages."));
}

/** Why the member may not decide where messages go; nothing if they may. The API rejects it with 403. */
export function whyNotMessages(events: readonly string[]): string | undefined {
  if (!listensToMessages(events) || session.holds("messages:read")) return undefined;
  return `This webhook gets the contents of messages, and your role (${session.role}) does not have messages:read.`;
}
