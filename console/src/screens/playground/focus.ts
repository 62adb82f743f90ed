/** Puts the focus into a field unless it is elsewhere: a button that is off after it was pressed has lost it. */
export function backTo(field: HTMLElement | undefined): void {
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body || activeElement.matches(":disabled")) field?.focus({ preventScroll: true });
}
