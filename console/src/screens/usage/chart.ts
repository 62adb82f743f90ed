// Charts of usage: columns over time.
import type { UsageRow } from "messaging";

import { labelOf, periodsOf, type Period, type Range } from "./range";
import { grouped, lost, received, requested, tallyOf, type Tally } from "./tally";

/** A part of the columns. Its name stands beside its colour. */
export interface Part {
  tone: string;
  name: string;
}

export interface Chart {
  parts: Part[];
  columns: { label: string; parts: { tone: string; value: number }[] }[];
}

interface Shape {
  range: Range;
  period: Period;
}

/** Columns whose parts come from the numbers of a period. Parts that never occur are left out. */
export function chartOf(rows: UsageRow[], shape: Shape, parts: (Part & { of: (rows: UsageRow[]) => number })[]): Chart {
  const byPeriod = grouped(rows, (row) => labelOf(row.period, shape.period));
  const kept = parts.filter(({ of }) => of(rows) > 0);
  const columns = periodsOf(shape.range, shape.period).map((label) => {
    const own = byPeriod.get(label) ?? [];
    return { label, parts: kept.map(({ tone, of }) => ({ tone, value: of(own) })) };
  });
  return { parts: kept, columns };
}

type Counting = (tally: Tally) => number;

function part(tone: string, name: string, of: Counting): Part & { of: (rows: UsageRow[]) => number } {
  return { tone, name, of: (rows) => of(tallyOf(rows)) };
}

/** What became of the messages, each of which is in one part. */
export function outcomes(rows: UsageRow[], shape: Shape): Chart {
  const lostOfSent = (tally: Tally) => Math.min(lost(tally), requested(tally));
  const delivered = (tally: Tally) => Math.min(tally.delivered, Math.max(0, tally.accepted - tally.failed));
  return chartOf(rows, shape, [
    part("good", "Delivered", delivered),
    part("busy", "On the way", (tally) => Math.max(0, requested(tally) - delivered(tally) - lostOfSent(tally) - tally.unknown)),
    part("warn", "Outcome unknown", ({ unknown }) => unknown),
    part("bad", "Not delivered", lostOfSent),
    part("plain", "Received", received),
  ]);
}

/** What became of deliveries. */
export function endings(rows: UsageRow[], shape: Shape): Chart {
  return chartOf(rows, shape, [
    part("good", "Succeeded", ({ succeeded }) => succeeded),
    part("busy", "Waiting", waiting),
    part("warn", "Skipped", ({ skipped }) => skipped),
    part("bad", "Failed", ({ failed }) => failed),
  ]);
}

/** Deliveries that will be attempted again. */
export function waiting({ deliveries, succeeded, failed, skipped }: Tally): number {
  return Math.max(0, deliveries - succeeded - failed - skipped);
}

const TONES = ["first", "second", "third", "fourth"];

/** The greatest groups, and all others together. */
export function shares(rows: UsageRow[], shape: Shape, nameOf: (row: UsageRow) => string, numberOf: Counting): Chart {
  const number = (some: UsageRow[]) => numberOf(tallyOf(some));
  const sorted = [...grouped(rows, nameOf)].map(([name, own]) => ({ name, number: number(own) })).sort((one, other) => other.number - one.number);
  const greatest = sorted.slice(0, TONES.length).map(({ name }) => name);
  const parts = greatest.map((name, place) => ({ tone: TONES[place] ?? "", name, of: (some: UsageRow[]) => number(some.filter((row) => nameOf(row) === name)) }));
  const others = { tone: "plain", name: "Others", of: (some: UsageRow[]) => number(some.filter((row) => !greatest.includes(nameOf(row)))) };
  return chartOf(rows, shape, [...parts, others]);
}
