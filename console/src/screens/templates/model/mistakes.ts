// The mistakes that a form shows, in the order of its fields: for the summary above it, whose entries lead to them.

export interface Mistake {
  /** The field, as it is called. */
  label: string;
  text: string;
  /** Goes to the field. */
  show: () => void;
}

export function mistakesIn(form: HTMLElement): Mistake[] {
  return [...form.querySelectorAll<HTMLElement>(".error")].map((error) => {
    const field = error.closest(".field");
    const group = error.closest("fieldset, .template-group, .panel");
    const name = field?.querySelector("label") ?? group?.querySelector("legend, h3, h2");
    const control = field?.querySelector<HTMLElement>("[aria-invalid], input, select, textarea") ?? error;
    return { label: name?.textContent?.trim() ?? "", text: error.textContent?.trim() ?? "", show: () => goTo(control, field ?? error) };
  });
}

function goTo(control: HTMLElement, place: Element): void {
  // An error without a field of its own takes the focus itself.
  if (control.matches(".error")) control.tabIndex = -1;
  place.scrollIntoView({ block: "center" });
  control.focus({ preventScroll: true });
}
