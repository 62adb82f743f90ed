// The choices in the address: the days, the length of the periods, and what is grouped by.
import { route } from "../../core/route.svelte";
import { boundsOf, rangeOf, whyNoHours, type Period, type Range } from "./range";

/** How the rows of the table are made: one for each period, or one for all of them. */
export type Rows = "total" | Period;

export class View {
  readonly #usual: "total" | "period";

  constructor(usual: "total" | "period") {
    this.#usual = usual;
  }

  get range(): Range {
    return rangeOf(route.query("range"), route.query("from"), route.query("to"));
  }

  get rows(): Rows {
    const wanted = route.query("rows");
    if (wanted === "total" || wanted === "day") return wanted;
    if (wanted === "hour" && !whyNoHours(this.range)) return "hour";
    return this.#usual === "total" ? "total" : this.#fitting;
  }

  /** The length of the periods that are asked for. A short range has hours. */
  get period(): Period {
    return this.rows === "total" ? this.#fitting : this.rows;
  }

  /** Parameters of the request; nothing if the range is not valid. */
  get query(): { period: Period; since: string; until: string } | undefined {
    return this.range.problem ? undefined : { period: this.period, ...boundsOf(this.range) };
  }

  get #fitting(): Period {
    return this.range.days <= 2 && !whyNoHours(this.range) ? "hour" : "day";
  }
}
