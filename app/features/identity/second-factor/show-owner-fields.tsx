import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { CurrentPasswordField } from '../accounts/current-password-field.tsx';

/** Proof that the account is the person's own: the password, and a code if two-step sign-in is on. */
export function ShowOwnerFields(props: {
  isCodeNeeded: boolean;
  errors: Record<string, string>;
  ref?: Ref<HTMLInputElement>;
}) {
  const { t } = useLingui();
  return (
    <>
      <CurrentPasswordField ref={props.ref} error={props.errors.current_password} />
      {props.isCodeNeeded && (
        <TextInput
          name="code"
          label={t`Code`}
          description={t`The six digits that your authenticator app shows, or one of your recovery codes.`}
          autoComplete="one-time-code"
          error={props.errors.code}
        />
      )}
    </>
  );
}
