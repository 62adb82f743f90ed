// Reads templates and interactive objects as they were sent, in WhatsApp's format.
import { listOf, objectOf, textOf, type Json } from "../../core/json";

interface SentTemplate {
  name: string;
  language: string | undefined;
  values: string[];
}

/** The template of a message, with the values of its variables. */
export function sentTemplate(data: unknown): SentTemplate | undefined {
  const { name, language: given, components } = objectOf(data);
  if (typeof name !== "string") return undefined;
  const language = typeof given === "string" ? given : objectOf(given)["code"];
  const values = listOf(components).flatMap((component) => listOf(component["parameters"]).map(valueOf)).filter((value) => value !== "");
  return { name, language: typeof language === "string" ? language : undefined, values };
}

/** The words of a message with buttons, or of the reply to one. */
export function sentInteractive(data: unknown): { text: string; choices: string[] } | undefined {
  const { button_reply: button, list_reply: row, body, action } = objectOf(data);
  const reply = button ?? row;
  if (reply) return { text: `Chose “${titleOf(objectOf(reply))}”`, choices: [] };
  const { text } = objectOf(body);
  if (typeof text !== "string") return undefined;
  const { buttons: given, sections } = objectOf(action);
  const buttons = listOf(given).map((one) => titleOf(objectOf(one["reply"] ?? one)));
  const rows = listOf(sections).flatMap((section) => listOf(section["rows"]).map(titleOf));
  return { text, choices: [...buttons, ...rows] };
}

function titleOf(object: Json): string {
  return textOf(object["title"]);
}

function valueOf(parameter: Json): string {
  const value = ["text", "payload", "coupon_code"].map((name) => parameter[name]).find((one) => typeof one === "string");
  if (typeof value === "string") return typeof parameter["parameter_name"] === "string" ? `${parameter["parameter_name"]}: ${value}` : value;
  return textOf(parameter["type"]);
}
