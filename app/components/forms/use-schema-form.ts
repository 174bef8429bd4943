import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import type { ErrorCode } from '#server/error-codes.ts';
import { readError } from '../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { dropDraft, useDraft } from './use-draft.ts';

/** What a person typed, by field. */
export type TypedValues = Record<string, string>;

/**
 * A form validated by the server's own schema, with errors next to the fields and the focus on the first of
 * them. The inputs keep their own values, so that what is typed before the page is interactive is not lost;
 * React submits a form sent that early again (`action`), and the browser never sends it with the typed text
 * in the address.
 */
export function useSchemaForm<S extends z.ZodType>(options: {
  /** Or a function that loads it once the person types: the form is shown before the validation library is loaded. */
  schema: S | (() => Promise<S>);
  /** Returns the text for a field's problem, in the language of the page. */
  wordsOf: (path: string, typed: TypedValues) => string;
  /** Errors that belong to one field and have their own text. */
  fieldOfCode?: Partial<Record<ErrorCode, string>>;
  /** Converts what the person typed into the input of the schema. */
  toInput?: (typed: TypedValues) => unknown;
  send: (input: z.output<S>) => Promise<void>;
  /** Says what failed, before the reason, when the failure is not one of ours (the network). */
  failureWords?: string;
  onFailure?: (code: ErrorCode | null) => void;
  /** Keeps what is typed across reloads, under this name; it identifies the owner. */
  draft?: string;
}) {
  const describe = useErrorMessage();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<TypedValues>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const [typed, setTyped] = useState<TypedValues>({});

  const draft = useDraft(form, options.draft);

  // Errors come with the end of what was sent; while the person types, they only go.
  useEffect(() => {
    if (!isPending) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [isPending]);

  const refuse = (error: unknown, values: TypedValues) => {
    const known = readError(error);
    const field = known && options.fieldOfCode?.[known.code];
    if (known && field) {
      setErrors({ [field]: describe(error) });
    } else if (known?.code === 'invalid_input' && known.fields.length > 0) {
      setErrors(Object.fromEntries(known.fields.map(({ path }) => [path, options.wordsOf(path, values)])));
    } else {
      const why = describe(error);
      setFailure(known || !options.failureWords ? why : `${options.failureWords}. ${why}`);
    }
    options.onFailure?.(known?.code ?? null);
  };

  const submit = async (data: FormData) => {
    if (isPending) return;
    const values: TypedValues = {};
    for (const [name, value] of data) if (typeof value === 'string') values[name] = value;
    setTyped(values);
    setErrors({});
    setFailure(null);
    setPending(true);
    let schema: S;
    try {
      schema = await (typeof options.schema === 'function' ? options.schema() : options.schema);
    } catch (error) {
      setPending(false);
      refuse(error, values);
      return;
    }
    const checked = schema.safeParse(options.toInput?.(values) ?? values);
    if (!checked.success) {
      setPending(false);
      const paths = checked.error.issues.map((issue) => String(issue.path[0] ?? ''));
      setErrors(Object.fromEntries(paths.map((path) => [path, options.wordsOf(path, values)])));
      return;
    }
    try {
      await options.send(checked.data);
    } catch (error) {
      setPending(false);
      refuse(error, values);
      return;
    }
    setPending(false);
    // A form that is emptied after it was sent stays empty.
    setTyped({});
    if (options.draft !== undefined) dropDraft(options.draft);
  };

  const takeInput = ({ target }: FormEvent<HTMLFormElement>) => {
    // If that fails, what it needs is requested again when the form is sent.
    if (typeof options.schema === 'function') void options.schema().catch(() => undefined);
    const { name } = target as HTMLInputElement;
    // What the error of the field is about is no longer there. Without one, rendering all fields would only make the key slow.
    if (errors[name]) setErrors({ ...errors, [name]: '' });
  };

  return {
    errors,
    failure,
    isPending,
    /** The draft of an earlier load of the page, which is in the fields again. */
    draft,
    /**
     * What was sent last: the defaults of the inputs when React submits an early form again and empties it.
     */
    typed,
    formProps: {
      ref: form,
      noValidate: true,
      onInput: takeInput,
      action: (data: FormData) => void submit(data),
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      },
    },
  };
}
