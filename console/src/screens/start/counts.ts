// What rows of usage add up to.
import type { UsageRow } from "messaging";

/** The sum of some numbers over all rows. */
export function total(rows: UsageRow[], ...names: (keyof UsageRow)[]): number {
  return rows.reduce((all, row) => all + names.reduce((sum, name) => sum + Number(row[name] ?? 0), 0), 0);
}

/** Messages that were requested through the API: each has exactly one outcome. */
export function requested(rows: UsageRow[]): number {
  return total(rows, "pending", "accepted", "refused", "unknown", "expired");
}

/** Messages that users wrote, which have no outcome. */
export function received(rows: UsageRow[]): number {
  return total(rows, "messages") - requested(rows);
}
