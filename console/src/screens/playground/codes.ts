// Codes of WhatsApp that a message can fail with: the code of this API that each becomes, and what it means. docs/platform-errors.md
// has all of them; any other number works, too.
import { failing, SMS_OF, type When } from "../../core/recipients";
import type { Channel } from "./choice.svelte";

const TABLE: [number, string, string][] = [
  [131026, "message_undeliverable", "WhatsApp cannot deliver to this recipient"],
  [130472, "message_undeliverable", "The user takes part in an experiment"],
  [131049, "message_undeliverable", "The recipient gets too many marketing messages"],
  [131050, "message_undeliverable", "The recipient has stopped marketing messages"],
  [131030, "message_undeliverable", "The recipient is not on the list of a test number"],
  [131047, "conversation_window_expired", "The user last wrote more than 24 hours ago"],
  [1013, "recipient_not_on_chat", "The recipient has no WhatsApp account"],
  [131051, "unsupported_message_type", "WhatsApp does not support messages of this type here"],
  [132001, "template_not_found", "There is no approved template with this name and language"],
  [132015, "template_not_found", "The template is paused"],
  [132016, "template_not_found", "The template is disabled"],
  [132000, "template_parameter_mismatch", "The template expects a different number of parameters"],
  [132012, "template_parameter_mismatch", "A parameter has a different format than the template expects"],
  [131215, "groups_not_eligible", "WhatsApp does not allow this business to use groups"],
  [368, "account_restricted", "The account has violated a policy"],
  [130497, "account_restricted", "The account may not write to this country"],
  [131031, "account_restricted", "WhatsApp has locked the account"],
  [131042, "account_restricted", "The account has a problem with its payment method"],
  [131037, "display_name_not_approved", "The display name of the number is not approved"],
  [133010, "chat_not_configured", "The number is not registered"],
  [130429, "chat_rate_limited", "The number sends more messages per second than allowed"],
  [131056, "chat_rate_limited", "Too many messages were sent to this recipient"],
  [131048, "chat_rate_limited", "Too many messages were blocked or reported as spam"],
  [80007, "chat_rate_limited", "The account has reached its rate limit"],
  [131057, "platform_api_unavailable", "The account is in maintenance mode"],
  [133004, "platform_api_unavailable", "WhatsApp is temporarily unavailable"],
  [130403, "platform_api_error", "The number has blocked this user"],
  [131005, "platform_api_error", "The access token lacks a permission"],
  [131009, "platform_api_error", "WhatsApp rejected the value of a parameter"],
  [131021, "platform_api_error", "The recipient is the sender"],
  [131053, "platform_api_error", "WhatsApp could not download the medium"],
  [190, "platform_api_error", "The access token has expired"],
  [131000, "UNKNOWN", "WhatsApp failed without a reason; the outcome is unknown"],
  [131016, "UNKNOWN", "A service was unavailable; the outcome is unknown"],
];

interface PlatformCode {
  code: number;
  ours: string;
  meaning: string;
}

export const PLATFORM_CODES: PlatformCode[] = TABLE.map(([code, ours, meaning]) => ({ code, ours, meaning }));

/** The code of WhatsApp that is meant: the number itself, or the first that becomes a code of this API. */
export function platformCodeOf(typed: string): number | undefined {
  if (/^\d{1,7}$/.test(typed)) return Number(typed);
  return PLATFORM_CODES.find(({ ours }) => ours === typed)?.code;
}

/** Recipients of SMS that fail with a code of this API after the carrier has accepted the message. */
const SMS_LATER: Record<string, string> = { message_undeliverable: "+99940002", carrier_api_error: "+99940012" };

/** The recipient that fails with a code, of this API or of WhatsApp; nothing if there is none. */
export function numberFor(code: string, when: When, channel: Channel): string | undefined {
  if (channel === "sms") return (when === "at once" ? SMS_OF : SMS_LATER)[code];
  const platform = platformCodeOf(code);
  return platform === undefined ? undefined : failing(platform, when);
}
