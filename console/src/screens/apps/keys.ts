// Keys of an app, or of the organization if no app is named: their requests, and how they are described.
import type { AdminKey, AppKey, CreatedAdminKey, CreatedAppKey, UpdateKey } from "messaging";

import { ask, type Request } from "../../core/request";
import { many, timeOf } from "../../core/text";

export type Key = AppKey | AdminKey;
export type CreatedKey = CreatedAppKey | CreatedAdminKey;

/** The form of a key to create. */
export interface NewKey extends Omit<UpdateKey, "allowedIps" | "expiresAt" | "rateLimit"> {
  scopes?: string[] | undefined;
  allowedIps?: string[] | undefined;
  expiresAt?: string | undefined;
  rateLimit?: { requestsPerSecond: number; burst?: number } | undefined;
  test?: boolean | undefined;
}

const LIST = { limit: 100 };

export function listRequest(app: string | undefined, cursor?: string) {
  const query = cursor ? { ...LIST, cursor } : LIST;
  return app ? ask("organization.apps.keys.list", app, query) : ask("organization.adminKeys.list", query);
}

export function createRequest(app: string | undefined, body: NewKey): Request<"organization.apps.keys.create" | "organization.adminKeys.create"> {
  const given = body as never;
  return app ? ask("organization.apps.keys.create", app, given) : ask("organization.adminKeys.create", given);
}

export function updateRequest(app: string | undefined, key: string, body: UpdateKey): Request<"organization.apps.keys.update" | "organization.adminKeys.update"> {
  return app ? ask("organization.apps.keys.update", app, key, body) : ask("organization.adminKeys.update", key, body);
}

export function rotateRequest(app: string | undefined, key: string, seconds: number): Request<"organization.apps.keys.rotate" | "organization.adminKeys.rotate"> {
  const body = { gracePeriodSeconds: seconds };
  return app ? ask("organization.apps.keys.rotate", app, key, body) : ask("organization.adminKeys.rotate", key, body);
}

export function deleteRequest(app: string | undefined, key: string): Request<"organization.apps.keys.delete" | "organization.adminKeys.delete"> {
  return app ? ask("organization.apps.keys.delete", app, key) : ask("organization.adminKeys.delete", key);
}

export function nameOf(key: Key): string {
  return key.name ?? "Key without a name";
}

export function hasEnded(key: Key): boolean {
  return key.expiresAt !== undefined && Date.parse(key.expiresAt) <= Date.now();
}

/** What has to be typed to delete a key: its name if that can be typed, else the end of its value. */
export function wordOf(key: Key): string {
  return key.name && /^[!-~]([ -~]{0,38}[!-~])?$/.test(key.name) ? key.name : key.lastFour;
}

/** What a key may do, in a few words. */
export function scopesInShort(key: Key): string {
  if (!key.scopes) return "Everything";
  return key.scopes.length <= 2 ? key.scopes.join(", ") : many(key.scopes.length, "scope");
}

const HOUR = { hour: "2-digit", minute: "2-digit" } as const;
const today = new Intl.DateTimeFormat(undefined, HOUR);
const otherDays = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", ...HOUR });
const otherYears = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", ...HOUR });

/** When a key was last used: the API knows the hour. */
export function useInShort({ lastUsedAt }: Key, now = new Date()): string {
  if (!lastUsedAt) return "Never used";
  const at = new Date(lastUsedAt);
  const format = at.toDateString() === now.toDateString() ? today : at.getFullYear() === now.getFullYear() ? otherDays : otherYears;
  return `Last used in the hour from ${format.format(at)}`;
}

export function endInShort(key: Key): string {
  if (!key.expiresAt) return "Never expires";
  return `${hasEnded(key) ? "Expired" : "Expires"} ${timeOf(key.expiresAt)}`;
}
