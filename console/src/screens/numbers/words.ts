// The values of numbers in words.
import type { ChatPhoneNumber } from "messaging";

import { words } from "../../core/text";

/** A text with a full stop at its end: the API's texts have one, the console's have none. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

const TIERS: Record<string, string> = { STANDARD: "Standard throughput", HIGH: "High throughput" };

/** How fast it may send; nothing if WhatsApp says nothing about it. */
export function tierOf(tier: string | undefined): string | undefined {
  if (tier === undefined || tier === "NOT_APPLICABLE") return undefined;
  return TIERS[tier] ?? words(tier);
}

/** The name that people see. */
export function nameOf({ requestedVerifiedName, businessProfile }: ChatPhoneNumber): string {
  return requestedVerifiedName ?? businessProfile.businessName;
}

/** The categories of businesses at WhatsApp. */
export const VERTICALS: Record<string, string> = {
  ALCOHOL: "Alcoholic beverages",
  APPAREL: "Clothing and apparel",
  AUTO: "Automotive",
  BEAUTY: "Beauty, spa and salon",
  EDU: "Education",
  ENTERTAIN: "Entertainment",
  EVENT_PLAN: "Event planning and service",
  FINANCE: "Finance and banking",
  GOVT: "Public service",
  GROCERY: "Food and grocery",
  HEALTH: "Medical and health",
  HOTEL: "Hotel and lodging",
  NONPROFIT: "Non-profit",
  ONLINE_GAMBLING: "Online gambling and gaming",
  OTC_DRUGS: "Over-the-counter medicine",
  OTHER: "Other",
  PHYSICAL_GAMBLING: "Gambling and gaming on site",
  PROF_SERVICES: "Professional services",
  RESTAURANT: "Restaurant",
  RETAIL: "Shopping and retail",
  TRAVEL: "Travel and transportation",
};

/** A text from outside within a sentence of the console: directional marks in it do not affect what follows. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
