// Reads templates and interactive objects as they were sent, in WhatsApp's format.

export interface SentTemplate {
  name: string;
  language: string | undefined;
  values: string[];
}

type Json = Record<string, unknown>;

/** The template of a message, with the values of its variables. */
export function sentTemplate(data: unknown): SentTemplate | undefined {
  if (!isObject(data) || typeof data["name"] !== "string") return undefined;
  const language = isObject(data["language"]) ? data["language"]["code"] : data["language"];
  const components = listOf(data["components"]);
  const values = components.flatMap((component) => listOf(component["parameters"]).map(valueOf)).filter((value) => value !== "");
  return { name: data["name"], language: typeof language === "string" ? language : undefined, values };
}

/** The words of a message with buttons, or of the reply to one. */
export function sentInteractive(data: unknown): { text: string; choices: string[] } | undefined {
  if (!isObject(data)) return undefined;
  const reply = ["button_reply", "list_reply"].map((name) => data[name]).find(isObject);
  if (reply) return { text: `Chose “${titleOf(reply)}”`, choices: [] };
  if (!isObject(data["body"]) || typeof data["body"]["text"] !== "string") return undefined;
  const action = isObject(data["action"]) ? data["action"] : {};
  const buttons = listOf(action["buttons"]).map((button) => titleOf(isObject(button["reply"]) ? button["reply"] : button));
  const rows = listOf(action["sections"]).flatMap((section) => listOf(section["rows"]).map(titleOf));
  return { text: data["body"]["text"], choices: [...buttons, ...rows] };
}

function titleOf(object: Json): string {
  return typeof object["title"] === "string" ? object["title"] : "";
}

function valueOf(parameter: Json): string {
  const value = ["text", "payload", "coupon_code"].map((name) => parameter[name]).find((one) => typeof one === "string");
  if (typeof value === "string") return typeof parameter["parameter_name"] === "string" ? `${parameter["parameter_name"]}: ${value}` : value;
  return typeof parameter["type"] === "string" ? parameter["type"] : "";
}

function listOf(value: unknown): Json[] {
  return (Array.isArray(value) ? value : []).filter(isObject);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
