// What error codes mean, and what to do about them. The error reference has more.
import type { ErrorCode } from "messaging";

interface Explained {
  meaning: string;
  remedy?: string;
}

const CODES: Partial<Record<ErrorCode, Explained>> = {
  message_undeliverable: {
    meaning: "The recipient cannot be reached, or does not receive messages of this kind.",
    remedy: "Do not send it again. Use another channel, or remove the recipient from your list.",
  },
  conversation_window_expired: {
    meaning: "The recipient had not written in the last 24 hours. Only a template can reopen the conversation.",
    remedy: "Send a template. After the recipient has replied, you can send any type for 24 hours.",
  },
  recipient_not_on_chat: {
    meaning: "The recipient has no WhatsApp account.",
    remedy: "Use another channel, for example SMS. Do not send it again.",
  },
  unsupported_message_type: {
    meaning: "Messages or files of this type are not supported there.",
    remedy: "Choose another type or another file.",
  },
  media_too_large: {
    meaning: "The file exceeds the size limit.",
    remedy: "Send a smaller file.",
  },
  template_not_found: {
    meaning: "No approved template has this name and language.",
    remedy: "Check the name and the language, and wait if the template is pending or paused. Sync the templates if it is new.",
  },
  template_parameter_mismatch: {
    meaning: "The parameters differ from those of the template.",
    remedy: "Compare what you sent with the variables of the template.",
  },
  groups_not_eligible: {
    meaning: "WhatsApp does not allow the number to use groups.",
    remedy: "Use another number, or have WhatsApp enable groups for the business.",
  },
  account_restricted: {
    meaning: "WhatsApp has restricted or locked the business account.",
    remedy: "The owner of the WhatsApp account has to act at Meta. Stop sending until then.",
  },
  display_name_not_approved: {
    meaning: "WhatsApp has not approved the display name of the number.",
    remedy: "Have the display name of the number approved in WhatsApp Manager.",
  },
  chat_not_configured: {
    meaning: "The WhatsApp account is not connected, or the number is not registered.",
    remedy: "Connect the WhatsApp account again, or register the number.",
  },
  platform_api_error: {
    meaning: "WhatsApp rejected the message for another reason. Its own code is in the message.",
    remedy: "Read the code of WhatsApp: it says what to change.",
  },
  platform_api_unavailable: {
    meaning: "WhatsApp could not be reached, or did not respond in time.",
    remedy: "Send it again: it was not sent.",
  },
  carrier_api_error: {
    meaning: "The carrier rejected the message for another reason. Its own code is in the message.",
    remedy: "Read the code of the carrier. The operator of this installation is responsible for spending limits, the sandbox and the account.",
  },
  carrier_api_unavailable: {
    meaning: "The carrier could not be reached, or did not respond in time.",
    remedy: "Send it again: it was not sent. If that goes on, ask the operator of this installation.",
  },
  rate_limit_exceeded: {
    meaning: "There were too many messages at once, or a quota was used up.",
    remedy: "Wait, and send fewer messages at once or through the queue.",
  },
  chat_rate_limited: {
    meaning: "WhatsApp limits the rate of these messages.",
    remedy: "Wait, and send fewer messages at once or through the queue.",
  },
  invalid_phone_number: {
    meaning: "The phone number is not valid.",
  },
  phone_number_not_assigned: {
    meaning: "The number was not assigned to the app when the message was to be sent.",
  },
};

/** What a code means, or its absence. */
export function meaningOfCode(code: string | undefined): string | undefined {
  if (code === undefined) return "The message waited for too long, a condition for sending it no longer held, or it is not known whether it was sent.";
  return CODES[code as ErrorCode]?.meaning;
}

/** What to do about an error code. */
export function remedyOf(code: string | undefined): string | undefined {
  return CODES[code as ErrorCode]?.remedy;
}
