import { useCallback } from 'react';
import type { z } from 'zod';
import type { ErrorCode } from '#server/error-codes.ts';
import { type TypedValues, useSchemaForm } from '../../../components/forms/use-schema-form.ts';
import { loadIdentitySchema, type SchemaName, type SchemaOf } from '../identity-schemas.ts';
import { useFieldWords } from '../use-field-words.ts';

/** Errors that belong to one field and have their own text. */
const FIELD_OF_CODE: Partial<Record<ErrorCode, string>> = {
  account_email_taken: 'email',
  account_login_taken: 'login',
  current_password_wrong: 'current_password',
  second_factor_code_wrong: 'code',
};

/** A form about an account, with the texts of its fields. */
export function useAccountForm<N extends SchemaName>(options: {
  schema: N;
  /** What the person typed, made into the input of the schema. */
  toInput?: (typed: TypedValues) => unknown;
  send: (input: z.output<SchemaOf<N>>) => Promise<void>;
  onFailure?: (code: ErrorCode | null) => void;
  draft?: string;
}) {
  const wordsOf = useFieldWords();
  const { schema: name } = options;
  const schema = useCallback(() => loadIdentitySchema(name), [name]);
  return useSchemaForm({ ...options, schema, wordsOf, fieldOfCode: FIELD_OF_CODE });
}
