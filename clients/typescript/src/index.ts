// The client of the messaging API: SMS, MMS and WhatsApp.
import { verify } from "./webhooks.ts";
export { Call, type Result } from "./call.ts";
export type { Progress, UploadSource } from "./content.ts";
export { type ErrorFacts, MessagingError } from "./errors.ts";
export type { FollowOptions } from "./feed.ts";
export * from "./generated/errors.ts";
export type * from "./generated/events.ts";
export * from "./generated/methods.ts";
export type * from "./generated/types.ts";
export { List, type PageQuery } from "./list.ts";
export type { UploadOptions } from "./media.ts";
export type { WaitOptions, WaitTarget } from "./messages.ts";
export type { ApiKey, ClientOptions, Clock, Fetch, Options, PostOptions } from "./options.ts";
export type { DeliveryHeaders, VerifyOptions } from "./webhooks.ts";

/** Verifies deliveries without a client: `await webhooks.verify(body, headers, secret)`. */
export const webhooks = { verify };
