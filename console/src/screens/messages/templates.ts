// The form of a template: which variables it has, what is sent for them, and how the message will look.
import type { ChatTemplate, SendTemplate, SendTemplateButton, SendTemplateHeader } from "messaging";

import { listOf, objectOf, type Json } from "../../core/json";
import { fromLocal } from "../../core/local";
import { words } from "../../core/text";

/** A variable of a template. */
interface Variable {
  /** Where its value is kept. */
  key: string;
  label: string;
  example: string;
  kind: "text" | "time";
  /** What the `param` of the API's errors about it begins with. */
  param: string;
  isOptional?: boolean;
}

interface TemplateForm {
  variables: Variable[];
  /** The format of the file in the header, if it has one. */
  media: string | undefined;
  /** Why the console has no form for it. */
  whyNot: string | undefined;
}

export type Values = Record<string, string>;

const FILES = ["IMAGE", "VIDEO", "DOCUMENT", "GIF"];
const TOO_MUCH = ["CAROUSEL", "PRODUCT", "MPM", "SPM"];

export function formOf(template: ChatTemplate): TemplateForm {
  const header = componentOf(template, "HEADER");
  const format = textIn(header, "format");
  const types = [...listOf(template.components).map((one) => textIn(one, "type")), format, ...buttonsOf(template).map((one) => textIn(one, "type"))];
  const variables = [...headerVariables(header, format), ...bodyVariables(componentOf(template, "BODY")), ...offerVariables(template), ...buttonVariables(template)];
  return {
    variables,
    media: FILES.includes(format) ? format : undefined,
    whyNot: types.some((type) => TOO_MUCH.includes(type)) ? "The console has no form for carousels and products. Send this template with the API." : undefined,
  };
}

/** Whether the form has a field for an error of the API. */
export function showsError(template: ChatTemplate | undefined, param: string): boolean {
  if (!template) return false;
  const { variables, media } = formOf(template);
  return ["template", "template.name"].includes(param) || (media !== undefined && param.startsWith("template.header")) || variables.some((one) => param.startsWith(one.param));
}

/** What is sent: the values of the variables, and the file of the header. */
export function templateOf(template: ChatTemplate, values: Values, mediaId: string | undefined): SendTemplate {
  const { variables } = formOf(template);
  const given = (prefix: string) => variables.filter(({ key }) => key.startsWith(prefix));
  const body = Object.fromEntries(given("body.").map(({ key }) => [key.slice("body.".length), values[key] ?? ""]));
  const buttons = given("button.").map(({ key }) => buttonOf(template, Number(key.slice("button.".length)), values[key] ?? ""));
  const header = headerOf(values, mediaId, given("header.").map(({ key }) => key));
  const offer = given("offer").length > 0 ? { expiresAt: fromLocal(values["offer"] ?? "") ?? "" } : undefined;
  return {
    name: template.name ?? "",
    language: template.language ?? "",
    ...(header && { header }),
    ...(Object.keys(body).length > 0 && { body }),
    ...(offer && { offer }),
    ...(buttons.length > 0 && { buttons }),
  };
}

/** The values that are known so far, by the part of the message and the variable in it. */
export function given(values: Values): { header: Values; body: Values } {
  const of = (part: string) => Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (key.startsWith(`${part}.`) ? [[key.slice(part.length + 1), value]] : [])));
  return { header: of("header"), body: of("body") };
}

const VARIABLE = /\{\{\s*([^{}]+?)\s*\}\}/g;

function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map((found) => found[1] ?? ""))];
}

function headerVariables(header: Json | undefined, format: string): Variable[] {
  if (format === "LOCATION") return LOCATION.map(([name, label, example, isOptional]) => ({ key: `header.${name}`, label, example, kind: "text", param: `template.header.location.${name}`, isOptional }));
  return namesIn(textIn(header, "text")).map((name, at) => ({ key: `header.${name}`, label: `Header: {{${name}}}`, example: exampleOf(header, "header_text", name, at), kind: "text", param: "template.header" }));
}

const LOCATION: [name: string, label: string, example: string, isOptional: boolean][] = [
  ["latitude", "Header: latitude", "52.520008", false],
  ["longitude", "Header: longitude", "13.404954", false],
  ["name", "Header: name of the place", "Our shop", true],
  ["address", "Header: address", "Alexanderplatz 1, Berlin", true],
];

function bodyVariables(body: Json | undefined): Variable[] {
  return namesIn(textIn(body, "text")).map((name, at) => ({ key: `body.${name}`, label: `Body: {{${name}}}`, example: exampleOf(body, "body_text", name, at), kind: "text", param: `template.body.${name}` }));
}

function offerVariables(template: ChatTemplate): Variable[] {
  const offer = componentOf(template, "LIMITED_TIME_OFFER");
  return offer && objectOf(offer["limited_time_offer"])["has_expiration"] !== false ? [{ key: "offer", label: "The offer ends", example: "", kind: "time", param: "template.offer" }] : [];
}

function buttonVariables(template: ChatTemplate): Variable[] {
  const found = buttonsOf(template).map((button, index) => ({ button, index })).filter(({ button }) => fieldOf(button) !== undefined);
  return found.map(({ button, index }, place) => ({
    key: `button.${index}`,
    label: `Button “${textIn(button, "text") || words(textIn(button, "type"))}”: ${fieldOf(button) === "couponCode" ? "code" : textIn(button, "type") === "OTP" ? "one-time code" : "end of the address"}`,
    example: firstOf(button["example"]),
    kind: "text",
    param: `template.buttons[${place}]`,
  }));
}

/** The field of a button that has a variable. */
function fieldOf(button: Json): "urlSuffix" | "couponCode" | undefined {
  const type = textIn(button, "type");
  if (type === "COPY_CODE") return "couponCode";
  return type === "OTP" || (type === "URL" && namesIn(textIn(button, "url")).length > 0) ? "urlSuffix" : undefined;
}

function buttonOf(template: ChatTemplate, index: number, value: string): SendTemplateButton {
  const field = fieldOf(buttonsOf(template)[index] ?? {}) ?? "urlSuffix";
  return { index, [field]: value };
}

function headerOf(values: Values, mediaId: string | undefined, keys: string[]): SendTemplateHeader | undefined {
  if (mediaId) return { mediaId };
  if (keys.length === 0) return undefined;
  if (!keys.includes("header.latitude")) return { text: values[keys[0] ?? ""] ?? "" };
  const given = (name: string) => (values[`header.${name}`] ? { [name]: values[`header.${name}`] } : {});
  return { location: { latitude: values["header.latitude"] ?? "", longitude: values["header.longitude"] ?? "", ...given("name"), ...given("address") } };
}

/** An example of a variable, by its name or its position. */
function exampleOf(component: Json | undefined, kind: string, name: string, at: number): string {
  const example = objectOf(component?.["example"]);
  const named = listOf(example[`${kind}_named_params`]).find((one) => one["param_name"] === name);
  if (named) return textIn(named, "example");
  const all = example[kind];
  const row = Array.isArray(all) && Array.isArray(all[0]) ? (all[0] as unknown[]) : all;
  return Array.isArray(row) && typeof row[at] === "string" ? row[at] : "";
}

function componentOf(template: ChatTemplate, type: string): Json | undefined {
  return listOf(template.components).find((one) => textIn(one, "type") === type);
}

function buttonsOf(template: ChatTemplate): Json[] {
  return listOf(componentOf(template, "BUTTONS")?.["buttons"]);
}

function textIn(object: Json | undefined, name: string): string {
  const value = object?.[name];
  if (typeof value !== "string") return "";
  return name === "type" || name === "format" ? value.toUpperCase() : value;
}

function firstOf(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first : "";
}
