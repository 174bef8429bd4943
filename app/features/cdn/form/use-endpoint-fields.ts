import { useLingui } from '@lingui/react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { readError } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import {
  checkEndpoint,
  type EndpointField,
  fieldOfRefusal,
  type TypedEndpoint,
} from './endpoint-form-errors.ts';
import { wordsOfProblem, wordsOfRefusal } from './field-problem-words.ts';

/** The problem of each field of an endpoint's form, in the language of the page. */
export type FieldErrors = Partial<Record<EndpointField, string>>;

export interface EndpointFields {
  typed: TypedEndpoint;
  errors: FieldErrors;
  /** For the form element: the first field with an error gets the focus. */
  form: RefObject<HTMLFormElement | null>;
  /** A field's problem is no longer shown once the field changes. */
  change(changes: Partial<TypedEndpoint>): void;
  /** Shows the problems of these fields before submitting; returns whether there are none. */
  check(fields: readonly EndpointField[]): boolean;
  /** Shows a refusal of the server next to its field; returns whether it has one. */
  refuse(error: unknown): boolean;
}

/** Returns the fields shared by an endpoint's forms: what was typed and its problems. */
export function useEndpointFields(initial: TypedEndpoint): EndpointFields {
  const { i18n } = useLingui();
  const describe = useErrorMessage();
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors>({});
  useEffect(() => {
    if (Object.keys(errors).length > 0) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [errors]);
  return {
    typed,
    errors,
    form,
    change(changes) {
      setTyped((before) => ({ ...before, ...changes }));
      setErrors({});
    },
    check(fields) {
      const problems = checkEndpoint(typed);
      const found: FieldErrors = {};
      for (const field of fields) {
        const words = wordsOfProblem(field, problems[field]);
        if (words) found[field] = i18n._(words);
      }
      setErrors(found);
      return Object.keys(found).length === 0;
    },
    refuse(error) {
      const known = readError(error);
      const field = known && fieldOfRefusal(known);
      if (!field) return false;
      const words = wordsOfRefusal(field, known);
      setErrors({ [field]: words ? i18n._(words) : describe(error) });
      return true;
    },
  };
}

/** Whether a refusal of the server is shown next to a field, and therefore nowhere else. */
export function isOfField(error: unknown): boolean {
  const known = readError(error);
  return known !== null && fieldOfRefusal(known) !== null;
}
