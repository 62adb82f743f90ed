// The table of messages, and the lines that all tables of usage are made of.
import type { UsageRow } from "messaging";

import { cellOf, GROUPS, type Group } from "./groups";
import type { Names } from "./names.svelte";
import { labelOf } from "./range";
import type { Cell, Sheet } from "./sheet";
import { grouped, received, tallyOf, type Tally } from "./tally";
import type { Rows } from "./view.svelte";

/** The numbers of a row. Those that are not always shown are left out if they are zero everywhere. */
const NUMBERS: { name: string; of: (tally: Tally) => number; isRare?: boolean }[] = [
  { name: "Messages", of: ({ messages }) => messages },
  { name: "Received", of: received, isRare: true },
  { name: "Accepted", of: ({ accepted }) => accepted },
  { name: "Sent", of: ({ sent }) => sent },
  { name: "Delivered", of: ({ delivered }) => delivered },
  { name: "Read", of: ({ read }) => read },
  { name: "Failed", of: ({ failed }) => failed },
  { name: "Refused", of: ({ refused }) => refused, isRare: true },
  { name: "Expired", of: ({ expired }) => expired, isRare: true },
  { name: "Unknown", of: ({ unknown }) => unknown, isRare: true },
  { name: "Pending", of: ({ pending }) => pending, isRare: true },
  { name: "SMS parts", of: ({ parts }) => parts, isRare: true },
];

/** The names of periods in tables. */
export const PERIODS = { day: "Day (UTC)", hour: "Hour (UTC)" };

export interface Grouping {
  rows: Rows;
  groups: Group[];
  names: Names;
}

export function messageSheet(all: UsageRow[], { rows, groups, names }: Grouping): Sheet {
  const sum = tallyOf(all);
  const numbers = NUMBERS.filter(({ of, isRare }) => !isRare || of(sum) > 0);
  const lines = linesOf(all, rows, groups).map(({ label, own, first }) => {
    const tally = tallyOf(own);
    const heads: Cell[] = [...(rows === "total" ? [] : [label]), ...groups.map((group) => cellOf(first, group, names))];
    return [...(heads.length > 0 ? heads : ["All"]), ...numbers.map(({ of }) => of(tally))];
  });
  const heads = headsOf(rows, groups);
  const total: Cell[] | undefined = lines.length > 1 ? ["Total", ...heads.slice(1).map(() => ""), ...numbers.map(({ of }) => of(sum))] : undefined;
  return { columns: [...heads.map((name) => ({ name })), ...numbers.map(({ name }) => ({ name, isNumber: true }))], rows: lines, total };
}

/** The names of the columns before the numbers: at least one. */
function headsOf(rows: Rows, groups: Group[]): string[] {
  const heads = [...(rows === "total" ? [] : [PERIODS[rows]]), ...groups.map((group) => GROUPS[group])];
  return heads.length > 0 ? heads : ["Days"];
}

/** Rows of the same period and groups, the latest period first. Without periods, the greatest number first. */
export function linesOf(all: UsageRow[], rows: Rows, groups: Group[]): { label: string; own: UsageRow[]; first: UsageRow }[] {
  const label = (row: UsageRow) => (rows === "total" ? "" : labelOf(row.period, rows));
  const key = (row: UsageRow) => [label(row), ...groups.map((group) => row[group] ?? "")].join("\n");
  const lines = [...grouped(all, key).values()].flatMap((own) => (own[0] ? [{ label: label(own[0]), own, first: own[0] }] : []));
  const size = (own: UsageRow[]) => own.reduce((sum, row) => sum + (row.messages ?? row.deliveries ?? 0), 0);
  return lines.sort((one, other) => other.label.localeCompare(one.label) || size(other.own) - size(one.own));
}
