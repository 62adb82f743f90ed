// Amounts of money are decimal numbers as texts, and are added without rounding.
import type { UsagePrice } from "messaging";

function add(one: string, other: string): string {
  const places = Math.max(placesOf(one), placesOf(other));
  const sum = (scaled(one, places) + scaled(other, places)).toString().padStart(places + 1, "0");
  if (places === 0) return sum;
  return `${sum.slice(0, -places)}.${sum.slice(-places)}`.replace(/\.?0+$/, "");
}

/** The sums of prices, one for each currency. */
export function sumsOf(prices: UsagePrice[]): UsagePrice[] {
  const sums = new Map<string, UsagePrice>();
  for (const price of prices) {
    const known = sums.get(price.currency);
    sums.set(price.currency, known ? { ...price, amount: add(known.amount, price.amount), estimated: known.estimated || price.estimated } : price);
  }
  return [...sums.values()];
}

function placesOf(amount: string): number {
  return amount.split(".")[1]?.length ?? 0;
}

function scaled(amount: string, places: number): bigint {
  const [whole = "0", decimals = ""] = amount.split(".");
  return BigInt(whole + decimals.padEnd(places, "0"));
}
