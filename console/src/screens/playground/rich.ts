// Reads messages in WhatsApp's format, as far as a phone shows them.
import { PLACE, type Said } from "./kinds";

interface Press {
  label: string;
  about?: string | undefined;
  /** What the user sends by pressing it; nothing if the button does something else. */
  said?: Said;
}

export interface Shown {
  header?: string | undefined;
  body?: string | undefined;
  footer?: string | undefined;
  presses: Press[];
}

/** What is at a path in a JSON value. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => (typeof inner === "object" && inner !== null ? (inner as Record<string | number, unknown>)[name] : undefined), value);
}

export function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
}

export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** An interactive message of the app, or what the user chose in one. */
export function interactive(data: unknown, replyTo: string): Shown {
  const chosen = textAt(data, "button_reply", "title") ?? textAt(data, "list_reply", "title");
  if (chosen !== undefined) return { body: chosen, footer: textAt(data, "list_reply", "description"), presses: [] };
  if (textAt(data, "type") === "nfm_reply") return { body: textAt(data, "nfm_reply", "response_json"), presses: [] };
  const header = textAt(data, "header", "text") ?? textAt(data, "header", "type");
  return { header, body: textAt(data, "body", "text"), footer: textAt(data, "footer", "text"), presses: pressesOf(data, replyTo) };
}

function pressesOf(data: unknown, replyTo: string): Press[] {
  const action = at(data, "action");
  const reply = (kind: "button_reply" | "list_reply", row: unknown): Press => {
    const [id, title, description] = [textAt(row, "id") ?? "", textAt(row, "title") ?? "", textAt(row, "description")];
    return { label: title, about: description, said: { type: "interactive", replyTo, interactive: { kind, id, title, ...(description ? { description } : {}) } } };
  };
  const buttons = listAt(action, "buttons").map((button) => reply("button_reply", at(button, "reply")));
  const rows = listAt(action, "sections").flatMap((section) => listAt(section, "rows").map((row) => reply("list_reply", row)));
  const url = textAt(action, "parameters", "display_text");
  const flow = textAt(action, "parameters", "flow_cta");
  return [
    ...buttons,
    ...rows,
    ...(url ? [{ label: url, about: textAt(action, "parameters", "url") }] : []),
    ...(flow ? [{ label: flow, said: { type: "interactive", replyTo, interactive: { kind: "flow_reply", response: { answer: "example" } } } as Said }] : []),
    ...(textAt(action, "name") === "send_location" ? [{ label: "Send location", said: PLACE }] : []),
  ];
}

/** A template of the app, with its text if the template is known. */
export function template(data: unknown, components: unknown, replyTo: string): Shown {
  const part = (type: string) => listAt(components).find((one) => textAt(one, "type")?.toUpperCase() === type);
  const given = (type: string) => listAt(data, "components").find((one) => textAt(one, "type")?.toLowerCase() === type);
  const body = part("BODY") ? filled(textAt(part("BODY"), "text") ?? "", given("body")) : undefined;
  return {
    header: filled(textAt(part("HEADER"), "text") ?? "", given("header")) || textAt(part("HEADER"), "format"),
    body: body ?? (values(given("body")).join(", ") || undefined),
    footer: textAt(part("FOOTER"), "text"),
    presses: listAt(part("BUTTONS"), "buttons").map((button, index) => templatePress(button, index, data, replyTo)),
  };
}

function templatePress(button: unknown, index: number, data: unknown, replyTo: string): Press {
  const label = textAt(button, "text") ?? "Button";
  if (textAt(button, "type")?.toUpperCase() !== "QUICK_REPLY") return { label, about: textAt(button, "url") };
  const own = listAt(data, "components").find((one) => textAt(one, "type") === "button" && textAt(one, "index") === String(index));
  const payload = textAt(own, "parameters", 0, "payload") ?? label;
  return { label, said: { type: "button", replyTo, button: { text: label, payload } } };
}

function values(component: unknown): string[] {
  return listAt(component, "parameters").map((one) => textAt(one, "text") ?? textAt(one, "type") ?? "");
}

/** A text with the parameters in place of their names or numbers. */
function filled(text: string, component: unknown): string {
  const named = new Map(listAt(component, "parameters").map((one, index) => [textAt(one, "parameter_name") ?? String(index + 1), textAt(one, "text") ?? ""]));
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => named.get(name) ?? whole);
}

/** Contact cards, orders and system messages, in one line each. */
export function summary(details: { contactsData?: unknown; order?: { items: { productRetailerId?: unknown; quantity?: unknown }[] }; systemData?: unknown }): string[] {
  const cards = listAt(details.contactsData).map((card) => [textAt(card, "name", "formatted_name"), textAt(card, "phones", 0, "phone")].filter(Boolean).join(", "));
  const items = (details.order?.items ?? []).map(({ quantity, productRetailerId }) => `${quantity} × ${productRetailerId}`);
  const system = textAt(details.systemData, "system", "body") ?? textAt(details.systemData, "body");
  return [...cards, ...items, ...(system ? [system] : [])];
}
