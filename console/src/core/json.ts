// Reads JSON that comes from WhatsApp, so its shape is not certain.
export type Json = Record<string, unknown>;

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
