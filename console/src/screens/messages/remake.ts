// Rebuilds the request that sent a message from what the API returns about it.
import type { ChatMessage, ChatMessageDetails, SendChatMessage, SmsMessage } from "messaging";

import { isInbound, isSms, type Message } from "../../core/message";
import { askAs, type Request } from "../../core/request";

/** Returns nothing if no app sent the message, or if a part of it is not known, such as the id of its file. */
export function sendRequestOf(message: Message, details: ChatMessageDetails | undefined): Request | undefined {
  const { appId } = message;
  if (isInbound(message) || !appId) return undefined;
  return isSms(message) ? smsRequestOf(message, appId) : chatRequestOf(message, appId, details);
}

function smsRequestOf({ from, to, text, mediaId, clientReference }: SmsMessage, appId: string): Request | undefined {
  if (text === undefined && mediaId === undefined) return undefined;
  return askAs(appId, "sms.send", { from, to, ...given({ text, mediaId, clientReference }) });
}

function chatRequestOf(message: ChatMessage, appId: string, details: ChatMessageDetails | undefined): Request | undefined {
  const { displayPhoneNumber: from, groupId, toPhoneNumber: to, toUserId, clientReference, replyToMessageId, type, isTruncated } = message;
  const content = isTruncated ? undefined : contentOf(message, details);
  const recipient = groupId ? { groupId } : to ? { to } : { toUserId };
  if (!content) return undefined;
  const more = given({ replyTo: type === "reaction" ? undefined : replyToMessageId, clientReference });
  return askAs(appId, "chat.messages.send", { from, ...recipient, type, [type]: content, ...more } as SendChatMessage);
}

/** The object of a message's type. Of media, the API returns a URL but no id; other types have the format of WhatsApp. */
function contentOf(message: ChatMessage, details: ChatMessageDetails | undefined): object | undefined {
  const { textBody, locationLatitude: latitude, locationLongitude: longitude, locationName: name, locationAddress: address } = message;
  if (message.type === "text" && textBody !== undefined) return { body: textBody };
  if (message.type === "location" && latitude && longitude) return { latitude, longitude, ...given({ name, address }) };
  if (message.type === "reaction" && message.reactionMessageId) return { messageId: message.reactionMessageId, emoji: message.reactionEmoji ?? "" };
  return message.type === "template" ? templateOf(details?.templateData) : undefined;
}

function templateOf(data: unknown): object | undefined {
  const { name, language, components } = (data ?? {}) as { name?: unknown; language?: { code?: unknown }; components?: unknown };
  if (typeof name !== "string" || typeof language?.code !== "string") return undefined;
  return { name, language: language.code, ...(Array.isArray(components) && components.length > 0 && { components }) };
}

/** The fields that have a value. */
function given(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
