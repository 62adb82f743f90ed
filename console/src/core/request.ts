// A request as a value, so that what is sent and what "Show as code" shows are the same thing.
import type { List, Messaging, Page } from "messaging";

/** The method of the library that a dotted name leads to. */
type Method<Name extends string, In> = Name extends `${infer Head}.${infer Rest}`
  ? Head extends keyof In
    ? Method<Rest, In[Head]>
    : never
  : Name extends keyof In
    ? In[Name]
    : never;
type Callable = (...args: never[]) => unknown;
type MethodOf<Name extends string> = Extract<Method<Name, Messaging>, Callable>;
export type Given<Name extends string> = Parameters<MethodOf<Name>>;
/** What an operation resolves to; of a list, one page. */
export type Answer<Name extends string> =
  ReturnType<MethodOf<Name>> extends List<infer Item> ? Page<Item> : Awaited<ReturnType<MethodOf<Name>>>;

/** A request that can be sent and shown. `app` is the app whose key it needs, if it is not one of the organization. */
export interface Request<Name extends string = string> {
  name: Name;
  args: unknown[];
  app?: string | undefined;
  /** The mode whose key it needs, if it is not the current one. */
  mode?: "live" | "test" | undefined;
  /** Headers beside those of every request. */
  headers?: Record<string, string> | undefined;
}

/** A request of the organization: `ask("organization.apps.get", appId)`. */
export function ask<Name extends string>(name: Name, ...args: Given<Name>): Request<Name> {
  return { name, args };
}

/** A request of the organization in a given mode. A live key sees objects of both modes. */
export function askIn<Name extends string>(mode: "live" | "test", name: Name, ...args: Given<Name>): Request<Name> {
  return { name, args, mode };
}

/** A request of an app: `askAs(appId, "chat.messages.send", body)`. */
export function askAs<Name extends string>(app: string, name: Name, ...args: Given<Name>): Request<Name> {
  return { name, args, app };
}
