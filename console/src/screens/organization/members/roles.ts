// What each role may and may not do, in words.
import type { Member, MemberRole } from "messaging";

import { session } from "../../../core/session.svelte";

const ABOUT: Record<MemberRole, string> = {
  OWNER: "May do everything. Only owners invite, change or remove owners.",
  ADMIN: "May do everything, and reads the contents of messages, but cannot invite, change or remove owners.",
  DEVELOPER: "Reads everything, including the contents of messages. Changes apps, webhooks and templates, sends messages, and creates keys in test mode. May not change numbers, accounts, members, settings or live keys.",
  SUPPORT: "Reads messages with their contents, events, usage, apps, webhooks, numbers and templates. Changes nothing, and does not see settings, members, keys, accounts or the audit log.",
  VIEWER: "Sees settings, usage, apps, webhooks, numbers, accounts and templates. May not read messages, and changes nothing.",
};

/** Words for a role. A role that is new here has none. */
export function aboutOf(role: string): string {
  return ABOUT[role as MemberRole] ?? "";
}

/** Why the signed-in member may not do something to a member with this role, if so. */
export function whyNotTo(role: string): string | undefined {
  return role === "OWNER" && session.now?.role !== "OWNER" ? "Only an owner can invite, change or remove an owner." : undefined;
}

export function nameOf({ name, email }: Member): string {
  return name ?? email;
}

export function isSelf({ id }: Member): boolean {
  return session.now?.member.id === id;
}
