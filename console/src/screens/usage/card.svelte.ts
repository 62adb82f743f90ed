// A rate card that is being edited.
import type { RateCard, RateCardPrice, SetRateCard } from "messaging";

import { countryCode } from "./countries";

export const FIELDS = ["country", "category", "amount"] as const;

export class CardDraft {
  currency = $state("EUR");
  prices = $state<RateCardPrice[]>([]);

  constructor(card: RateCard) {
    this.currency = card.currency ?? "EUR";
    this.prices = card.prices.map((price) => ({ ...price }));
    if (this.prices.length === 0) this.add();
  }

  add(): void {
    this.prices.push({ country: "", category: "", amount: "" });
  }

  remove(place: number): void {
    this.prices.splice(place, 1);
  }

  /** Takes over rows of CSV. A price of the same country and category is replaced. Returns the numbers of the lines that are not prices. */
  paste(text: string): number[] {
    const { read, wrong } = parsed(text);
    if (read.length > 0) this.prices = this.prices.filter((price) => !isEmpty(price));
    for (const price of read) {
      const at = this.prices.findIndex(({ country, category }) => country === price.country && category === price.category);
      if (at === -1) this.prices.push(price);
      else this.prices[at] = price;
    }
    return wrong;
  }

  /** The body of the request. Empty rows are left out. */
  get body(): SetRateCard {
    const kept = this.prices.filter((price) => !isEmpty(price));
    const prices = kept.map(({ country, category, amount }) => ({ country: countryCode(country), category: category.trim().toLowerCase(), amount: amount.trim() }));
    return { currency: this.currency.trim().toUpperCase(), prices };
  }
}

/** Whether nothing was typed into a row. */
export function isEmpty(price: RateCardPrice): boolean {
  return FIELDS.every((field) => price[field].trim() === "");
}

/** Lines of country, category and amount, with commas, semicolons or tabs between them. */
function parsed(text: string): { read: RateCardPrice[]; wrong: number[] } {
  const read: RateCardPrice[] = [];
  const wrong: number[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || (at === 0 && /^\W*country/i.test(line))) continue;
    const [given = "", category = "", amount = "", ...more] = line.split(/[;,\t]/).map((field) => field.trim().replace(/^["']+|"$/g, ""));
    const country = countryCode(given);
    if (/^([A-Z]{2}|\*)$/.test(country) && category && /^\d+(\.\d+)?$/.test(amount) && more.every((field) => field === "")) {
      read.push({ country, category: category.toLowerCase(), amount });
    } else wrong.push(at + 1);
  }
  return { read, wrong };
}
