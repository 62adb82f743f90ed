// The limits of a key, as typed into the form and as sent to the API.
import type { Key } from "./keys";

type End = "keep" | "never" | "30" | "90" | "date";

/** The state of the fields. */
export interface Limits {
  end: End;
  date: string;
  networks: string;
  perSecond: number | null;
  burst: number | null;
}

export function noLimits(): Limits {
  return { end: "never", date: "", networks: "", perSecond: null, burst: null };
}

export function limitsOf(key: Key): Limits {
  const { expiresAt, allowedIps, rateLimit } = key;
  return {
    end: expiresAt ? "keep" : "never",
    date: "",
    networks: allowedIps?.join("\n") ?? "",
    perSecond: rateLimit?.requestsPerSecond ?? null,
    burst: rateLimit && rateLimit.burst !== rateLimit.requestsPerSecond ? rateLimit.burst : null,
  };
}

/** When the key expires: a chosen date ends in the reader's time zone. */
export function endOf({ end, date }: Limits, now = new Date()): string | undefined {
  if (end === "date") {
    const at = new Date(`${date}T23:59:59`);
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  }
  if (end !== "30" && end !== "90") return undefined;
  const at = new Date(now);
  at.setDate(at.getDate() + Number(end));
  // Without seconds, so that the same form is the same request.
  at.setSeconds(0, 0);
  return at.toISOString();
}

export function networksOf({ networks }: Limits): string[] {
  return networks.split(/[\s,]+/).filter(Boolean);
}

export function rateOf({ perSecond, burst }: Pick<Limits, "perSecond" | "burst">): { requestsPerSecond: number; burst?: number } | undefined {
  if (perSecond === null) return undefined;
  return burst === null ? { requestsPerSecond: perSecond } : { requestsPerSecond: perSecond, burst };
}

/** A rate limit in words. */
export function rateInWords(rate: { requestsPerSecond: number; burst: number } | undefined): string {
  if (!rate) return "None";
  const atOnce = rate.burst === rate.requestsPerSecond ? "" : `, bursts of ${rate.burst}`;
  return `${rate.requestsPerSecond} per second${atOnce}`;
}
