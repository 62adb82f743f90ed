// Rows of usage, added up.
import type { UsageDuration, UsageRow } from "messaging";

const NUMBERS = [
  "messages", "pending", "accepted", "refused", "unknown", "expired", "sent", "delivered", "read", "failed", "parts", "billable", "unpriced",
  "deliveries", "succeeded", "skipped", "attempts",
] as const satisfies (keyof UsageRow)[];
type NumberName = (typeof NUMBERS)[number];

/** Numbers of rows. Those that the rows do not have are zero. */
export type Tally = Record<NumberName, number> & { durations: UsageDuration[] };

export function tallyOf(rows: UsageRow[]): Tally {
  const sums = Object.fromEntries(NUMBERS.map((name) => [name, rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)])) as Record<NumberName, number>;
  return { ...sums, durations: durationsOf(rows) };
}

/** Rows with the same key, by their key, in the order in which keys first appear. */
export function grouped(rows: UsageRow[], keyOf: (row: UsageRow) => string): Map<string, UsageRow[]> {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

function durationsOf(rows: UsageRow[]): UsageDuration[] {
  const sums = new Map<number | null, number>();
  for (const { upToMs, attempts } of rows.flatMap(({ durations }) => durations ?? [])) sums.set(upToMs, (sums.get(upToMs) ?? 0) + attempts);
  const length = (upToMs: number | null) => upToMs ?? Infinity;
  return [...sums].map(([upToMs, attempts]) => ({ upToMs, attempts })).sort((one, other) => length(one.upToMs) - length(other.upToMs));
}

/** Messages that were requested through the API: each has exactly one outcome. */
export function requested({ pending, accepted, refused, unknown, expired }: Tally): number {
  return pending + accepted + refused + unknown + expired;
}

/** Messages without an outcome: users wrote them, or they were sent elsewhere. */
export function received(tally: Tally): number {
  return Math.max(0, tally.messages - requested(tally));
}

/** Messages of which it is known that they did not arrive. */
export function lost({ failed, refused, expired }: Tally): number {
  return failed + refused + expired;
}
