// What rows can be grouped by, and how the values are called.
import type { UsageRow } from "messaging";

import { to } from "../../core/route.svelte";
import { words } from "../../core/text";
import type { Names } from "./names.svelte";
import type { Cell } from "./sheet";

export const GROUPS = {
  channel: "Channel",
  direction: "Direction",
  app: "App",
  number: "Number",
  country: "Country",
  category: "Category",
  code: "Code",
  webhook: "Webhook",
  event: "Event",
} as const;
export type Group = keyof typeof GROUPS;

/** What stands for messages without a value. */
const NONE: Record<Group, string> = {
  channel: "Unknown",
  direction: "Unknown",
  app: "No app",
  number: "Unknown",
  country: "Unknown",
  category: "No category",
  code: "No code",
  webhook: "Unknown",
  event: "Unknown",
};
const WORDS: Record<string, string> = { chat: "WhatsApp", INBOUND: "Received", OUTBOUND: "Sent" };
const PLACES: Partial<Record<Group, string>> = { app: "apps", number: "numbers", webhook: "webhooks" };
const regions = new Intl.DisplayNames(undefined, { type: "region", fallback: "code" });

/** Returns the groups that were asked for, each once. */
export function groupsOf(wanted: (string | undefined)[], allowed: readonly Group[]): Group[] {
  return allowed.filter((group) => wanted.includes(group)).sort((one, other) => wanted.indexOf(one) - wanted.indexOf(other)).slice(0, 2);
}

/** A value in words. */
export function nameOf(row: UsageRow, group: Group, names: Names): string {
  const value = row[group];
  if (!value) return NONE[group];
  if (group === "app" || group === "number" || group === "webhook") return names.of(value);
  if (group === "country") return countryOf(value);
  return group === "event" || group === "code" ? value : (WORDS[value] ?? words(value));
}

/** A value in words that leads to its object. */
export function cellOf(row: UsageRow, group: Group, names: Names): Cell {
  const place = PLACES[group];
  const value = row[group];
  const text = nameOf(row, group, names);
  if (place && value) return { text, href: to(place, value) };
  return group === "event" && value ? { text, isCode: true } : text;
}

/** `Germany (DE)`. */
export function countryOf(code: string): string {
  try {
    return `${regions.of(code) ?? code} (${code})`;
  } catch {
    // The code is not well formed.
    return code;
  }
}
