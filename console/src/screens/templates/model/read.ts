// Reads a stored template into a draft. One with parts that the editor has no fields for is edited as JSON.
import type { ChatTemplate } from "messaging";

import { listOf, objectOf, textOf, type Json } from "../../../core/json";
import { layOut, newApp, newButton, newCard, newDraft, type Button, type ButtonType, type Draft, type Header, type HeaderFormat, type OtpType, type Written } from "./draft";

/** The fields that the editor has, by type of component or button. `type` and `format` are known for all. */
const KNOWN: Record<string, string[]> = {
  HEADER: ["text", "example"],
  BODY: ["text", "example"],
  FOOTER: ["text"],
  BUTTONS: ["buttons"],
  CAROUSEL: ["cards"],
  LIMITED_TIME_OFFER: ["limited_time_offer"],
  QUICK_REPLY: ["text"],
  URL: ["text", "url", "example"],
  PHONE_NUMBER: ["text", "phone_number"],
  COPY_CODE: ["text", "example"],
  FLOW: ["text", "flow_id", "navigate_screen"],
  VOICE_CALL: ["text"],
  CATALOG: ["text"],
  MPM: ["text"],
  SPM: ["text"],
};

export function read(template: ChatTemplate): Draft {
  const draft = newDraft(template.chatBusinessProfileId);
  const components = listOf(template.components);
  Object.assign(draft, { name: template.name ?? "", language: template.language ?? "", variables: template.parameterFormat === "NAMED" ? "NAMED" : "POSITIONAL" });
  if (["AUTHENTICATION", "MARKETING", "UTILITY"].includes(template.category ?? "")) draft.category = template.category as Draft["category"];
  if (template.messageSendTtlSeconds !== undefined) draft.seconds = String(template.messageSendTtlSeconds);
  if (draft.category === "AUTHENTICATION") readCodes(components, draft);
  else if (components.every(isKnown)) readComponents(components, draft);
  else draft.json = JSON.stringify(components, null, 2);
  return draft;
}

function isKnown(part: Json): boolean {
  const known = KNOWN[String(part["type"])];
  const inner = [...listOf(part["buttons"]), ...listOf(part["cards"]).flatMap((card) => listOf(card["components"]))];
  return known !== undefined && Object.keys(part).every((name) => ["type", "format", ...known].includes(name)) && inner.every(isKnown);
}

function readComponents(components: Json[], draft: Draft): void {
  const of = (type: string) => components.find((one) => one["type"] === type);
  draft.buttons = listOf(of("BUTTONS")?.["buttons"]).map(buttonOf);
  draft.header = headerOf(of("HEADER"));
  layOut(draft, layoutOfParts(components, draft));
  draft.body = writtenOf(of("BODY"), "body_text");
  draft.footer = textOf(of("FOOTER")?.["text"]);
  const offer = objectOf(of("LIMITED_TIME_OFFER")?.["limited_time_offer"]);
  draft.offer = { text: textOf(offer["text"]), hasExpiration: offer["has_expiration"] === true };
  const cards = listOf(of("CAROUSEL")?.["cards"]).map((card) => listOf(card["components"]));
  draft.hasCardBodies = cards.some((card) => card.some((part) => part["type"] === "BODY"));
  if (cards.length > 0) draft.cards = cards.map(cardOf);
}

function layoutOfParts(components: Json[], { buttons, header }: Draft): Draft["layout"] {
  const has = (type: string) => components.some((one) => one["type"] === type) || buttons.some((one) => one.type === type);
  if (has("CAROUSEL")) return "CAROUSEL";
  if (has("LIMITED_TIME_OFFER")) return "OFFER";
  if (has("SPM") || header.format === "PRODUCT") return "PRODUCT";
  if (has("CATALOG")) return "CATALOG";
  return has("MPM") ? "PRODUCTS" : "PLAIN";
}

function cardOf(components: Json[]): Draft["cards"][number] {
  const of = (type: string) => components.find((one) => one["type"] === type);
  return { ...newCard(), header: headerOf(of("HEADER")), body: writtenOf(of("BODY"), "body_text"), buttons: listOf(of("BUTTONS")?.["buttons"]).map(buttonOf) };
}

function headerOf(part: Json | undefined): Header {
  const mediaId = textOf(objectOf(part?.["example"])["mediaId"]);
  return { ...writtenOf(part, "header_text"), format: part ? (textOf(part["format"]) as HeaderFormat) : "NONE", sample: { mediaId } };
}

function buttonOf(part: Json): Button {
  const [example = ""] = [part["example"]].flat().map(textOf);
  const texts = ["text", "url", "phone_number", "flow_id", "navigate_screen"].map((name) => [name, textOf(part[name])]);
  return { ...newButton(textOf(part["type"]) as ButtonType), ...Object.fromEntries(texts), example };
}

function writtenOf(part: Json | undefined, name: string): Written {
  const example = objectOf(part?.["example"]);
  const named = listOf(example[`${name}_named_params`]).map((one) => [textOf(one["param_name"]), textOf(one["example"])]);
  const positional = [example[name]].flat(2).flatMap((value, at) => (typeof value === "string" ? [[`${at + 1}`, value]] : []));
  return { text: textOf(part?.["text"]), examples: Object.fromEntries([...named, ...positional]) };
}

/** WhatsApp returns these templates with its own texts, which are not sent back. */
function readCodes(components: Json[], { codes }: Draft): void {
  const of = (type: string) => components.find((one) => one["type"] === type) ?? {};
  const button = listOf(of("BUTTONS")["buttons"])[0] ?? {};
  const minutes = of("FOOTER")["code_expiration_minutes"];
  codes.hasRecommendation = of("BODY")["add_security_recommendation"] === true;
  codes.minutes = typeof minutes === "number" ? String(minutes) : "";
  codes.type = ["ONE_TAP", "ZERO_TAP"].includes(textOf(button["otp_type"])) ? (button["otp_type"] as OtpType) : "COPY_CODE";
  codes.text = textOf(button["text"]);
  codes.autofill = textOf(button["autofill_text"]);
  codes.hasTerms = button["zero_tap_terms_accepted"] === true;
  codes.apps = listOf(button["supported_apps"]).map((app) => ({ ...newApp(), package_name: textOf(app["package_name"]), signature_hash: textOf(app["signature_hash"]) }));
}
