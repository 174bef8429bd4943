/** Moves the focus to the field of a form that has to be corrected. */
export function focusField(form: HTMLFormElement, name: string): void {
  form.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
}
