// Values as text: times, numbers, and the API's names in words.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const short = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const withDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const withYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const counts = new Intl.NumberFormat();

/** A time in the reader's zone: without the day if it is today, without the year if it is this one. */
export function timeOf(timestamp: string, now = new Date()): string {
  const at = new Date(timestamp);
  if (Number.isNaN(at.getTime())) return timestamp;
  if (at.toDateString() === now.toDateString()) return short.format(at);
  return (at.getFullYear() === now.getFullYear() ? withDay : withYear).format(at);
}

/** The whole time, in the reader's zone and in UTC. */
export function wholeTimeOf(timestamp: string): string {
  const at = new Date(timestamp);
  if (Number.isNaN(at.getTime())) return timestamp;
  return `${at.toLocaleString()} (${zone})\n${at.toISOString()} (UTC)`;
}

export function count(number: number): string {
  return counts.format(number);
}

/** A number with its noun: `many(1, "delivery", "deliveries")`. */
export function many(number: number, one: string, more = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** Milliseconds in the unit that fits. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return remaining(milliseconds);
}

/** A longer time: `3 h 20 min`. */
export function remaining(milliseconds: number): string {
  const minutes = Math.max(0, Math.ceil(milliseconds / 60_000));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
  return `${Math.floor(minutes / 1440)} days`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`;
}

const SPOKEN: Record<string, string> = { sms: "SMS", mms: "MMS", SMS: "SMS", MMS: "MMS", api: "API" };

/** A name of the API in words: `WEBHOOK_DISABLED` is "Webhook disabled". */
export function words(name: string): string {
  if (SPOKEN[name]) return SPOKEN[name];
  const text = name.toLowerCase().replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How good or bad a status is, which decides its colour. */
export type Tone = "good" | "busy" | "bad" | "warn" | "plain";

const TONES: Record<Tone, string[]> = {
  good: ["DELIVERED", "READ", "ACTIVE", "APPROVED", "SUCCEEDED", "COMPLETED", "CONNECTED", "DONE", "GREEN", "APPLIED", "VERIFIED"],
  busy: ["PENDING", "SENT", "ACCEPTED", "QUEUED", "IN_REVIEW", "RUNNING", "INVITED", "RETRYING", "OPEN", "SUBMITTED"],
  bad: ["FAILED", "REFUSED", "EXPIRED", "REJECTED", "DISABLED", "CRITICAL", "DISCONNECTED", "RED", "DENIED", "SUSPENDED"],
  warn: ["UNKNOWN", "PAUSED", "WARNING", "SKIPPED", "YELLOW", "RELEASING", "LIMITED", "UNLINKED", "CANCELLED"],
  plain: [],
};

export function toneOf(status: string): Tone {
  const found = Object.entries(TONES).find(([, all]) => all.includes(status));
  return (found?.[0] ?? "plain") as Tone;
}

// Directional marks would reverse the text that follows them. As escapes they are the same JSON.
const MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** JSON to read: indented, and with escapes for what would change how it is shown. */
export function json(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? "").replace(MARKS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
