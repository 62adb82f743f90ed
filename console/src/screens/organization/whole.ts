// Whole numbers in forms, which say themselves what is wrong in place of the browser.

/** Why a field has no whole number from `least` to `most`, if so. */
export function wrongNumber(value: number | null, least: number, most: number): string | undefined {
  const isRight = value !== null && Number.isInteger(value) && value >= least && value <= most;
  return isRight ? undefined : `Enter a whole number from ${least} to ${most.toLocaleString()}.`;
}
