// Which scopes there are, what they are for, and which of them a kind of key can have.
import table from "virtual:operations";

/** The subjects in the order of docs/access.md, with what reading and changing means. */
const SUBJECTS: [string, string, string][] = [
  ["messages", "messages with their contents", "send, mark as read; it does not include read"],
  ["media", "files", "upload and delete them"],
  ["numbers", "numbers and their profiles", "add, assign, register, change and remove them"],
  ["templates", "templates", "create, change, sync and delete them"],
  ["webhooks", "webhooks and deliveries", "create, change, test, recover and delete them; those that listen to messages also need messages read"],
  ["events", "the feed of events, and messages that reached nobody", ""],
  ["groups", "groups, join requests, blocked users", "create and change groups, block users"],
  ["usage", "how many messages and deliveries there were", ""],
  ["playground", "simulated users", "simulate what they do, in test mode"],
  ["apps", "apps and their configuration for calls", "create, change and delete them"],
  ["keys", "lists of keys", "create, rotate and delete keys"],
  ["accounts", "WhatsApp accounts, onboarding links, the platform check", "connect and disconnect accounts, create links"],
  ["settings", "settings of the organization, and what needs attention", "change the settings"],
  ["members", "members of the organization", "invite, change and remove them, create links to sign in"],
  ["audit", "the audit log: who has changed what", ""],
];

export interface Subject {
  name: string;
  about: string;
  read: boolean;
  write: boolean;
}

/** App keys have the scopes of the operations that apps use; admin keys can have all, to give them to app keys. */
export function subjectsOf(kind: "app" | "admin"): Subject[] {
  const scopes = new Set<string>();
  for (const [name, [, , scope]] of Object.entries(table)) {
    if (scope && (kind === "admin" || !name.startsWith("organization."))) scopes.add(scope);
  }
  const known = SUBJECTS.map(([name]) => name);
  // A subject without a description here is described by its name.
  const more = [...new Set([...scopes].map((scope) => scope.split(":")[0] ?? ""))].filter((name) => !known.includes(name));
  const all = [...SUBJECTS, ...more.map((name) => [name, name, name] as const)].map(([name, reading, writing]) => {
    const [read, write] = [scopes.has(`${name}:read`), scopes.has(`${name}:write`)];
    return { name, about: `Read: ${reading}.${write ? ` Write: ${writing}.` : ""}`, read, write };
  });
  return all.filter(({ read, write }) => read || write);
}

/** Whether scopes include another one: `write` includes `read`, except for messages. */
export function covers(scopes: string[] | undefined, scope: string): boolean {
  if (!scopes || scopes.includes(scope)) return true;
  const [subject, access] = scope.split(":");
  return access === "read" && subject !== "messages" && scopes.includes(`${subject}:write`);
}
