// The quality of a number: one rule for lists, the page of the number, its account, and its problems.
import type { Attention, ChatPhoneNumber } from "messaging";

import { words, type Tone } from "../../core/text";

export interface Quality {
  isLow: boolean;
  isMedium: boolean;
  label: string;
  tone: Tone;
}

/**
 * WhatsApp rates a number when its account is read, and reports events in between, so the two can differ. A number is low if it is flagged, or rated as low and
 * not unflagged since. Attention remembers a flag behind later events.
 */
export function qualityOf(number: Pick<ChatPhoneNumber, "id" | "qualityRating" | "qualityEvent">, attention: Attention[]): Quality {
  const { id, qualityRating: rating, qualityEvent: event } = number;
  const isCleared = event === "UNFLAGGED" || event === "UPGRADE";
  const isFlagged = event === "FLAGGED" || attention.some(({ kind, target }) => kind === "NUMBER_QUALITY_LOW" && target.id === id);
  if (isFlagged || (rating === "RED" && !isCleared)) return { isLow: true, isMedium: false, label: "Low quality", tone: "bad" };
  if (rating === "RED") return plain("Quality no longer low");
  if (rating === "YELLOW") return { isLow: false, isMedium: true, label: "Medium quality", tone: "warn" };
  if (rating === "GREEN") return { isLow: false, isMedium: false, label: "High quality", tone: "good" };
  const isUnrated = rating === undefined || rating === "UNKNOWN" || rating === "NA";
  return plain(isUnrated ? "Quality not rated" : `Quality ${words(rating)}`);
}

function plain(label: string): Quality {
  return { isLow: false, isMedium: false, label, tone: "plain" };
}
