// Reads one message of either channel.
import { ask, type Request } from "../../core/request";
import { channelOf } from "./model";

export type ReadMessage = "organization.chat.messages.get" | "organization.sms.messages.get";

/** The operation that reads a message. */
export function readerOf(id: string): ReadMessage {
  return channelOf(id) === "sms" ? "organization.sms.messages.get" : "organization.chat.messages.get";
}

export function messageRequest(id: string): Request<ReadMessage> {
  return ask(readerOf(id), id) as Request<ReadMessage>;
}
