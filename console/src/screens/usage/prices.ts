// The table of prices.
import type { UsagePrice, UsageRow } from "messaging";

import { cellOf, GROUPS, type Group } from "./groups";
import { linesOf, PERIODS, type Grouping } from "./messages";
import { sumsOf } from "./money";
import type { Cell, Sheet } from "./sheet";
import { tallyOf } from "./tally";

/** Rows of messages that cost something. */
export function priced(rows: UsageRow[]): UsageRow[] {
  return rows.filter(({ price, billable, unpriced }) => price ?? billable ?? unpriced);
}

export function pricesOf(rows: UsageRow[]): UsagePrice[] {
  return sumsOf(rows.flatMap(({ price }) => price ?? []));
}

const NUMBERS = ["Messages", "Billable", "Without a price"];

/** One row for each group and currency. */
export function priceSheet(rows: UsageRow[], { rows: kind, groups, names }: Grouping): Sheet {
  const periods = kind === "total" ? [] : [PERIODS[kind]];
  const lines = linesOf(rows, kind, groups).flatMap(({ label, own, first }) => {
    const { messages, billable, unpriced } = tallyOf(own);
    const heads: Cell[] = [...(periods.length > 0 ? [label] : []), ...groups.map((group) => groupCell(first, group, names))];
    const [price, ...more] = pricesOf(own);
    const others = more.map((one): Cell[] => [...heads, "", "", "", ...priceCells(one)]);
    return [[...heads, messages, billable, unpriced, ...priceCells(price)], ...others];
  });
  const heads = [...periods, ...groups.map((group) => GROUPS[group])];
  const numbers = [...NUMBERS, "Price"].map((name) => ({ name, isNumber: true }));
  return { columns: [...heads.map((name) => ({ name })), ...numbers, { name: "Currency" }, { name: "Basis" }], rows: lines };
}

function priceCells(price: UsagePrice | undefined): Cell[] {
  return price ? [price.amount, price.currency, price.estimated ? "Rate card" : "Receipts"] : ["", "", "Unknown"];
}

/** Only WhatsApp's messages have a category. */
function groupCell(row: UsageRow, group: Group, names: Grouping["names"]): Cell {
  return group === "category" && !row.category ? "SMS and MMS" : cellOf(row, group, names);
}
