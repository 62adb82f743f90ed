// Recipients of test mode whose number decides what becomes of a message, as docs/test-mode.md lists them.
export interface Recipient {
  number: string;
  about: string;
  result: string;
}

/** WhatsApp rejects the message, or accepts it and reports the failure later. */
export type When = "at once" | "later";

export function failing(code: number, when: When): string {
  return `+999${when === "at once" ? 1 : 2}${String(code).padStart(7, "0")}`;
}

const WHATSAPP: Recipient[] = [
  { number: failing(131026, "at once"), about: "Rejected at once: this recipient cannot be reached", result: "422 message_undeliverable" },
  { number: failing(131047, "at once"), about: "Rejected at once: the 24-hour window is closed", result: "422 conversation_window_expired" },
  { number: failing(131026, "later"), about: "Accepted, and failed a second later", result: "FAILED, message_undeliverable" },
  { number: "+99930001", about: "Sent, and nothing more", result: "stays SENT" },
  { number: "+99930002", about: "Delivered, but never read", result: "stays DELIVERED" },
  { number: "+99930003", about: "Every status arrives before the response", result: "READ" },
  { number: "+99930004", about: "Every status arrives three times", result: "READ" },
  { number: "+99930005", about: "The statuses arrive in reverse order, after 2, 3 and 4 seconds", result: "READ" },
  { number: "+99930006", about: "The response is lost; the statuses resolve the outcome", result: "202 UNKNOWN, then READ" },
  { number: "+99930007", about: "The response is lost, and no status ever arrives", result: "stays UNKNOWN" },
  { number: "+99930008", about: "Three messages are rejected, because too many were sent; the fourth is accepted", result: "429 chat_rate_limited" },
  { number: "+99930009", about: "Delivered, then failed", result: "FAILED, message_undeliverable" },
];
const SMS: Recipient[] = [
  { number: "+99940001", about: "Refused: the recipient has opted out", result: "422 message_undeliverable" },
  { number: "+99940002", about: "Sent, then the phone cannot be reached", result: "FAILED, UNREACHABLE" },
  { number: "+99940003", about: "Blocked by the carrier", result: "FAILED, BLOCKED" },
  { number: "+99940004", about: "Refused: the month's spending limit is reached", result: "422 carrier_api_error" },
  { number: "+99940005", about: "Three messages are refused, because too many are sent; the fourth is delivered", result: "429 rate_limit_exceeded" },
  { number: "+99940006", about: "Sent, then its time to live expires", result: "FAILED, TTL_EXPIRED" },
  { number: "+99940007", about: "The number is invalid", result: "FAILED, INVALID" },
  { number: "+99940008", about: "Sent, then the recipient's network cannot be reached", result: "FAILED, CARRIER_UNREACHABLE" },
  { number: "+99940009", about: "Sent; the network never reports whether it was delivered", result: "stays SENT" },
  { number: "+99940010", about: "Sent, then blocked by the recipient's network", result: "FAILED, CARRIER_BLOCKED" },
  { number: "+99940011", about: "Classified as spam", result: "FAILED, SPAM" },
  { number: "+99940012", about: "The content is invalid", result: "FAILED, INVALID_MESSAGE" },
  { number: "+99940013", about: "Blocked by the protect configuration of the account", result: "FAILED, PROTECT_BLOCKED" },
  { number: "+99940014", about: "Refused: the account is disabled", result: "422 carrier_api_error" },
  { number: "+99940015", about: "Refused: the message costs more than allowed", result: "422 carrier_api_error" },
  { number: "+99940016", about: "The response is lost; the receipts resolve the outcome", result: "202 UNKNOWN, then DELIVERED" },
  { number: "+99940017", about: "The carrier cannot be reached, and the message is not sent", result: "503 carrier_api_unavailable" },
];

export function recipients(isSms: boolean): Recipient[] {
  return isSms ? SMS : WHATSAPP;
}

/** Recipients of SMS that lead to a code of this API. */
export const SMS_OF: Record<string, string> = {
  message_undeliverable: "+99940001",
  carrier_api_error: "+99940014",
  rate_limit_exceeded: "+99940005",
  carrier_api_unavailable: "+99940017",
};
