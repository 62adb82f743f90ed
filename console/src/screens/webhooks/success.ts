// How many deliveries succeeded, period by period. The API leaves out periods without any.
import type { UsageDuration, UsageRow } from "messaging";

import { count, duration } from "../../core/text";

export type Length = "hour" | "day";

export interface Period {
  label: string;
  deliveries: number;
  succeeded: number;
  failed: number;
  skipped: number;
  /** Those that wait for an attempt. */
  pending: number;
  attempts: number;
}

const PERIODS = { hour: { length: 3_600_000, number: 24 }, day: { length: 86_400_000, number: 30 } };
const hours = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
// Days are those of UTC.
const days = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** When the first period that is shown begins. */
export function sinceOf(period: Length, now: number): string {
  return new Date(startsOf(period, now)[0] ?? now).toISOString();
}

/** All periods up to now, also those without deliveries. */
export function periodsOf(rows: readonly UsageRow[], period: Length, now: number): Period[] {
  const startOf = (row: UsageRow) => new Date(row.period ?? 0).getTime();
  const labels = new Set<string>();
  return startsOf(period, now).map((start) => {
    const label = (period === "hour" ? hours : days).format(start);
    // An hour comes twice when the clock is set back.
    const unique = labels.has(label) ? `${label} again` : label;
    labels.add(unique);
    return { label: unique, ...sumOf(rows.filter((row) => startOf(row) === start)) };
  });
}

function startsOf(period: Length, now: number): number[] {
  const { length, number } = PERIODS[period];
  const last = Math.floor(now / length) * length;
  return Array.from({ length: number }, (_, place) => last - (number - 1 - place) * length);
}

export function sumOf(rows: readonly (UsageRow | Period)[]): Omit<Period, "label"> {
  const sum = (name: "deliveries" | "succeeded" | "failed" | "skipped" | "attempts") => rows.reduce((all, row) => all + (row[name] ?? 0), 0);
  const [deliveries, succeeded, failed, skipped] = [sum("deliveries"), sum("succeeded"), sum("failed"), sum("skipped")];
  return { deliveries, succeeded, failed, skipped, pending: Math.max(0, deliveries - succeeded - failed - skipped), attempts: sum("attempts") };
}

/** What the colours mean, with their numbers: successes and failures always, the others only if there are any. */
export function legendOf({ succeeded, failed, skipped, pending }: Omit<Period, "label">, retried: number): [tone: string, text: string][] {
  // The counters lag by minutes, the log does not.
  const again = Math.min(retried, pending);
  const all: [string, string][] = [["good", `${count(succeeded)} succeeded`], ["bad", `${count(failed)} failed${again > 0 ? " for good" : ""}`]];
  if (again > 0) all.push(["busy", `${count(again)} failed so far and will be attempted again`]);
  if (pending > again) all.push(["busy", `${count(pending - again)} under way`]);
  if (skipped > 0) all.push(["warn", `${count(skipped)} not sent, because the webhook was disabled`]);
  return all;
}

/** How many attempts were timed. */
function timed(rows: readonly UsageRow[]): number {
  return rows.flatMap((row): UsageDuration[] => row.durations ?? []).reduce((all, { attempts }) => all + attempts, 0);
}

/** How long attempts took, in words; nothing for fewer than 20 attempts, which would not be representative. */
export function speedOf(rows: readonly UsageRow[]): string | undefined {
  const [half, most] = [within(rows, 0.5), within(rows, 0.95)];
  if (timed(rows) < 20 || half === undefined || most === undefined) return undefined;
  if (half === most) return `Of 20 attempts, 19 took ${spoken(most)}.`;
  return `Half of the attempts took ${spoken(half)}, and 19 of 20 took ${spoken(most)}.`;
}

function spoken(time: number | null): string {
  return time === null ? "longer than is measured" : `${duration(time)} or less`;
}

/** The time within which this share of the attempts ended: `null` if it is longer than the last bound of the counters. */
function within(rows: readonly UsageRow[], share: number): number | null | undefined {
  const counts = new Map<number, number>();
  for (const { upToMs, attempts } of rows.flatMap((row): UsageDuration[] => row.durations ?? [])) {
    const upTo = upToMs ?? Infinity;
    counts.set(upTo, (counts.get(upTo) ?? 0) + attempts);
  }
  const all = [...counts.values()].reduce((sum, one) => sum + one, 0);
  let seen = 0;
  for (const [upTo, attempts] of [...counts].sort(([one], [other]) => one - other)) {
    seen += attempts;
    if (seen >= all * share) return upTo === Infinity ? null : upTo;
  }
  return undefined;
}
