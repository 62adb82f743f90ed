// Whole numbers in forms: the console reports what is wrong with them, in place of the browser.

/** Why the value of a field is not a whole number from `least` to `most`, if so. */
export function wrongNumber(value: number | null, least: number, most: number): string | undefined {
  const isRight = value !== null && Number.isInteger(value) && value >= least && value <= most;
  return isRight ? undefined : `Enter a whole number from ${least} to ${most.toLocaleString()}.`;
}
