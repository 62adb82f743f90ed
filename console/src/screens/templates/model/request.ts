// The requests that a draft stands for.
import type { CreateChatTemplate, NewChatTemplateCategory, UpdateChatTemplate } from "messaging";

import { ask, type Request } from "../../../core/request";
import { build } from "./components";
import type { Draft } from "./draft";
import { fieldOf } from "./parts";

const FIELDS = new Map([
  ["name", "name"],
  ["language", "language"],
  ["category", "category"],
  ["messageSendTtlSeconds", "seconds"],
  ["parameterFormat", "variables"],
  ["chatBusinessProfileId", "account"],
]);

export function creation(draft: Draft, dryRun = false): Request<"organization.chat.templates.create"> {
  const body: CreateChatTemplate = {
    chatBusinessProfileId: draft.account,
    name: draft.name,
    language: draft.language,
    category: draft.category,
    ...(draft.variables === "NAMED" && draft.category !== "AUTHENTICATION" ? { parameterFormat: draft.variables } : {}),
    components: build(draft).components,
    ...timeToLive(draft),
    ...(dryRun ? { dryRun } : {}),
  };
  return ask("organization.chat.templates.create", body);
}

/** The change of a template. Its category is sent only if it is another one. */
export function change(id: string, draft: Draft, before: string | undefined): Request<"organization.chat.templates.update"> {
  const category: { category?: NewChatTemplateCategory } = draft.category === before ? {} : { category: draft.category };
  const body: UpdateChatTemplate = { ...category, components: build(draft).components, ...timeToLive(draft) };
  return ask("organization.chat.templates.update", id, body);
}

function timeToLive({ seconds }: Draft): { messageSendTtlSeconds?: number } {
  const given = seconds.trim();
  // A text that is not a number is sent as it is, so that the API reports it.
  return given ? { messageSendTtlSeconds: Number.isFinite(Number(given)) ? Number(given) : (given as unknown as number) } : {};
}

/** The field of the editor that the API's `param` is about. */
export function fieldOfParam(param: string | undefined, draft: Draft): string | undefined {
  if (param === undefined) return undefined;
  return FIELDS.get(param) ?? fieldOf(param, build(draft).places);
}
