// The table of deliveries to webhooks.
import type { UsageDuration, UsageRow } from "messaging";

import { duration } from "../../core/text";
import { waiting } from "./chart";
import { cellOf, GROUPS, type Group } from "./groups";
import { linesOf, PERIODS, type Grouping } from "./messages";
import type { Cell, Sheet } from "./sheet";
import { tallyOf, type Tally } from "./tally";

const NUMBERS: { name: string; of: (tally: Tally) => Cell }[] = [
  { name: "Deliveries", of: ({ deliveries }) => deliveries },
  { name: "Succeeded", of: ({ succeeded }) => succeeded },
  { name: "Failed", of: ({ failed }) => failed },
  { name: "Skipped", of: ({ skipped }) => skipped },
  { name: "Waiting", of: waiting },
  { name: "Attempts", of: ({ attempts }) => attempts },
  { name: "Half took", of: ({ durations }) => within(durations, 0.5) },
  { name: "95 % took", of: ({ durations }) => within(durations, 0.95) },
];

export function deliverySheet(rows: UsageRow[], { rows: kind, groups, names }: Grouping): Sheet {
  const periods = kind === "total" ? [] : [PERIODS[kind]];
  const lines = linesOf(rows, kind, groups).map(({ label, own, first }) => {
    const tally = tallyOf(own);
    return [...(periods.length > 0 ? [label] : []), ...groups.map((group: Group) => cellOf(first, group, names)), ...NUMBERS.map(({ of }) => of(tally))];
  });
  const heads = [...periods, ...groups.map((group) => GROUPS[group])];
  const sum = tallyOf(rows);
  const sums: Cell[] = ["Total", ...heads.slice(1).map(() => ""), ...NUMBERS.map(({ of }) => of(sum))];
  return {
    columns: [...heads.map((name) => ({ name })), ...NUMBERS.map(({ name }) => ({ name, isNumber: true }))],
    rows: lines,
    total: lines.length > 1 ? sums : undefined,
  };
}

/** How long a share of the attempts took at most. The API counts attempts by steps of time. */
function within(durations: UsageDuration[], share: number): string {
  const all = durations.reduce((sum, { attempts }) => sum + attempts, 0);
  let sum = 0;
  for (const { upToMs, attempts } of durations) {
    sum += attempts;
    if (all > 0 && sum >= all * share) return upToMs === null ? "over 10 s" : `≤ ${duration(upToMs)}`;
  }
  return "";
}
