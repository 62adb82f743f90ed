// Reads one message of either channel.
import { channelOf } from "../../core/message";
import { ask, type Request } from "../../core/request";

export type ReadMessage = "organization.chat.messages.get" | "organization.sms.messages.get";

/** The operation that reads a message. */
export function readerOf(id: string): ReadMessage {
  return channelOf(id) === "sms" ? "organization.sms.messages.get" : "organization.chat.messages.get";
}

export function messageRequest(id: string): Request<ReadMessage> {
  return ask(readerOf(id), id) as Request<ReadMessage>;
}
