import { useLingui } from '@lingui/react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { readError } from '../../i18n/read-error.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import {
  checkEndpoint,
  type EndpointField,
  fieldOfRefusal,
  type TypedEndpoint,
} from './endpoint-form-errors.ts';
import { wordsOfProblem, wordsOfRefusal } from './field-problem-words.ts';

/** What is wrong with each field of an endpoint's form, in the language of the page. */
export type FieldErrors = Partial<Record<EndpointField, string>>;

export interface EndpointFields {
  typed: TypedEndpoint;
  errors: FieldErrors;
  /** For the form element: the focus goes to its first field with an error. */
  form: RefObject<HTMLFormElement | null>;
  /** What was wrong with a field is not said any more once it changes. */
  change(changes: Partial<TypedEndpoint>): void;
  /** Says what is wrong with these fields before anything is sent; whether nothing is. */
  check(fields: readonly EndpointField[]): boolean;
  /** Shows a refusal of the server beside its field; whether it has one. */
  refuse(error: unknown): boolean;
}

/** Returns the fields that an endpoint's forms have in common: what was typed and what is wrong with it. */
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

/** Whether a refusal of the server is shown beside a field, and so nowhere else. */
export function isOfField(error: unknown): boolean {
  const known = readError(error);
  return known !== null && fieldOfRefusal(known) !== null;
}
