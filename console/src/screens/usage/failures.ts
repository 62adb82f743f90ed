// The table of failures.
import type { UsageRow } from "messaging";

import { meaningOfCode, remedyOf } from "../../core/codes";
import { toWith } from "../../core/route.svelte";
import { session } from "../../core/session.svelte";
import { cellOf, GROUPS, type Group } from "./groups";
import { linesOf, PERIODS, type Grouping } from "./messages";
import { boundsOf, type Range } from "./range";
import type { Cell, Sheet } from "./sheet";
import { lost, tallyOf, type Tally } from "./tally";

const NUMBERS: { name: string; of: (tally: Tally) => number; isRare?: boolean }[] = [
  { name: "Messages", of: total },
  { name: "Failed", of: ({ failed }) => failed },
  { name: "Refused", of: ({ refused }) => refused },
  { name: "Expired", of: ({ expired }) => expired },
  { name: "Unknown", of: ({ unknown }) => unknown, isRare: true },
];

/** All that did not arrive, as far as is known. */
function total(tally: Tally): number {
  return lost(tally) + tally.unknown;
}

/** Rows of messages that did not arrive. */
export function failed(rows: UsageRow[]): UsageRow[] {
  return rows.filter((row) => total(tallyOf([row])) > 0);
}

export function failureSheet(rows: UsageRow[], grouping: Grouping, range: Range): Sheet {
  const sum = tallyOf(rows);
  const numbers = NUMBERS.filter(({ of, isRare }) => !isRare || of(sum) > 0);
  const periods = grouping.rows === "total" ? [] : [PERIODS[grouping.rows]];
  const lines = linesOf(rows, grouping.rows, ["code", ...grouping.groups]).map(({ label, own, first }) => {
    const tally = tallyOf(own);
    const heads: Cell[] = [...(periods.length > 0 ? [label] : []), codeOf(first, range), meaningOf(first), ...groupCells(first, grouping)];
    return { size: total(tally), label, cells: [...heads, ...numbers.map(({ of }) => of(tally))] };
  });
  lines.sort((one, other) => other.label.localeCompare(one.label) || other.size - one.size);
  const heads = [...periods, "Code", "Meaning", ...grouping.groups.map((group) => GROUPS[group])];
  const sums: Cell[] = ["Total", ...heads.slice(1).map(() => ""), ...numbers.map(({ of }) => of(sum))];
  return {
    columns: [...heads.map((name) => ({ name })), ...numbers.map(({ name }) => ({ name, isNumber: true }))],
    rows: lines.map(({ cells }) => cells),
    total: lines.length > 1 ? sums : undefined,
  };
}

function groupCells(row: UsageRow, { groups, names }: Grouping): Cell[] {
  return groups.map((group: Group) => cellOf(row, group, names));
}

/** A code leads to the messages that have it. */
function codeOf({ code }: UsageRow, range: Range): Cell {
  if (!code) return "No code";
  const href = session.may("organization.failures.list") ? toWith(["messages", "failures"], { code, ...boundsOf(range) }) : undefined;
  return { text: code, href, isCode: true };
}

function meaningOf({ code }: UsageRow): Cell {
  return { text: meaningOfCode(code) ?? "See the error reference.", remedy: remedyOf(code) };
}
