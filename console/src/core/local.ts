// Times in fields of the type `datetime-local`: in the reader's zone, where the API has UTC.

/** A time as such a field has it; empty if the timestamp is not valid. */
export function toLocal(timestamp: string | undefined): string {
  const time = new Date(timestamp ?? "");
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The time in a field, in UTC; nothing if it is empty. */
export function fromLocal(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
