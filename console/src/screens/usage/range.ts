// The days that are shown. They are days of UTC, as the API counts.
const DAY = 86_400_000;
/** How far a request can reach, and for how long hours are kept, in days. */
const MOST_DAYS = 400;
const MOST_DAYS_OF_HOURS = 31;
const HOURS_KEPT = 90;

export const RANGES = [
  ["today", "Today"],
  ["yesterday", "Yesterday"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["own", "Own dates"],
] as const;

export interface Range {
  choice: string;
  /** The first and the last day, such as `2026-11-27`. */
  from: string;
  to: string;
  days: number;
  /** Why nothing can be asked for it. */
  problem?: string;
}

/** Returns the range of a choice. Own dates come from the two fields. */
export function rangeOf(choice = "30", from = "", to = "", now = Date.now()): Range {
  if (choice === "own") return ownRange(from, to, now);
  if (choice === "yesterday") return { choice, from: dayOf(now - DAY), to: dayOf(now - DAY), days: 1 };
  const days = Number(choice) || (choice === "today" ? 1 : 30);
  return { choice, from: dayOf(now - (days - 1) * DAY), to: dayOf(now), days };
}

function ownRange(from: string, to: string, now: number): Range {
  const first = startOf(from) || startOf(dayOf(now));
  const last = startOf(to) || first;
  const range: Range = { choice: "own", from: dayOf(first), to: dayOf(last), days: Math.round((last - first) / DAY) + 1 };
  if (range.days < 1) return { ...range, problem: "The last day is before the first one." };
  return range.days > MOST_DAYS ? { ...range, problem: `Choose at most ${MOST_DAYS} days.` } : range;
}

/** The range in words. */
export function wordsOf({ from, to }: Range): string {
  return from === to ? from : `${from} to ${to}`;
}

/** The range as parameters of a request. */
export function boundsOf({ from, to }: Range): { since: string; until: string } {
  return { since: `${from}T00:00:00Z`, until: new Date(startOf(to) + DAY).toISOString().replace(".000", "") };
}

/** Why hours cannot be asked for, if they cannot. */
export function whyNoHours({ days, from }: Range, now = Date.now()): string | undefined {
  if (days > MOST_DAYS_OF_HOURS) return `Hours are shown for at most ${MOST_DAYS_OF_HOURS} days.`;
  return startOf(from) < now - HOURS_KEPT * DAY ? `Hours are kept for ${HOURS_KEPT} days.` : undefined;
}

export type Period = "hour" | "day";

/** The beginnings of all periods of the range that have begun, as they are labelled. */
export function periodsOf(range: Range, period: Period, now = Date.now()): string[] {
  const step = period === "hour" ? DAY / 24 : DAY;
  const end = Math.min(startOf(range.to) + DAY, now);
  const all: string[] = [];
  for (let at = startOf(range.from); at < end; at += step) all.push(labelOf(new Date(at).toISOString(), period));
  return all;
}

/** A period in words, in UTC: `2026-11-27` or `2026-11-27 14:00`. */
export function labelOf(timestamp: string | null, period: Period): string {
  if (timestamp === null) return "";
  return period === "day" ? timestamp.slice(0, 10) : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The beginning of a day; 0 if the text is none. */
function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) || 0;
}
