import { useLingui } from '@lingui/react/macro';
import type { ReactNode, Ref } from 'react';
import { PasswordField } from '../../../components/forms/password-field.tsx';

/** The password that confirms a change of the account. */
export function CurrentPasswordField(props: {
  error: string | undefined;
  description?: ReactNode;
  ref?: Ref<HTMLInputElement>;
}) {
  const { t } = useLingui();
  return (
    <PasswordField
      name="current_password"
      label={t`Current password`}
      autoComplete="current-password"
      {...props}
    />
  );
}
