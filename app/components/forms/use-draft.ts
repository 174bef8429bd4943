import { type RefObject, useEffect, useState } from 'react';

const PREFIX = 'draft ';
const KEPT_MS = 24 * 3_600_000;

/** What was typed into a form, by the names of its fields. */
export type Draft = Record<string, string>;

interface KeptDraft {
  at: number;
  values: Draft;
}

/**
 * Keeps what is typed into a form for as long as the tab exists, so that reloading the page, or signing in
 * again, loses nothing; returns what was found at the beginning. Passwords are not kept. The draft ends with
 * {@link dropDraft} and when the form is left.
 */
export function useDraft(form: RefObject<HTMLFormElement | null>, key: string | undefined): Draft | null {
  const [found, setFound] = useState<Draft | null>(null);
  useEffect(() => {
    const element = form.current;
    if (key === undefined || !element) return;
    const kept = readDraft(key);
    if (kept) {
      restore(element, kept);
      setFound(kept);
    }
    const keep = () => writeDraft(key, textsOf(element));
    element.addEventListener('input', keep);
    return () => {
      element.removeEventListener('input', keep);
      dropDraft(key);
    };
  }, [form, key]);
  return found;
}

/** Deletes a form's draft after it was submitted. */
export function dropDraft(key: string): void {
  attempt(() => sessionStorage.removeItem(PREFIX + key));
}

/** Deletes all drafts of this tab. */
export function dropDrafts(): void {
  attempt(() => {
    const keys = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
    for (const key of keys.filter((each) => each.startsWith(PREFIX))) sessionStorage.removeItem(key);
  });
}

function readDraft(key: string): Draft | null {
  return attempt(() => {
    const text = sessionStorage.getItem(PREFIX + key);
    const kept: KeptDraft | null = text === null ? null : JSON.parse(text);
    return kept && Date.now() - kept.at < KEPT_MS ? kept.values : null;
  });
}

function writeDraft(key: string, values: Draft): void {
  const kept: KeptDraft = { at: Date.now(), values };
  attempt(() => sessionStorage.setItem(PREFIX + key, JSON.stringify(kept)));
}

/** A browser may refuse its storage, or have no room left: then nothing is kept. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

type TextField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const NOT_KEPT = new Set(['password', 'file', 'hidden', 'checkbox', 'radio']);

function fieldsOf(form: HTMLFormElement): TextField[] {
  return [...form.elements].filter(
    (field): field is TextField =>
      (field instanceof HTMLInputElement ||
        field instanceof HTMLTextAreaElement ||
        field instanceof HTMLSelectElement) &&
      field.name !== '' &&
      !NOT_KEPT.has(field.type),
  );
}

function textsOf(form: HTMLFormElement): Draft {
  return Object.fromEntries(fieldsOf(form).map(({ name, value }) => [name, value]));
}

/** Fills in the draft as if it were typed, so that controlled and uncontrolled fields notice. */
function restore(form: HTMLFormElement, values: Draft): void {
  for (const field of fieldsOf(form)) {
    const value = values[field.name];
    if (value === undefined || field.value === value) continue;
    // React notices a change only when its own setter of the property is bypassed.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }
}
