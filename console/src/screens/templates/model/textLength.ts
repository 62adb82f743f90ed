// How long a text is, against its limit. The API decides; this only counts.
import { count } from "../../../core/text";

export function counted(text: string, limit: number): string {
  const length = [...text].length;
  const more = length > limit ? `: ${count(length - limit)} too many` : "";
  return `${count(length)} of ${count(limit)} characters${more}.`;
}
