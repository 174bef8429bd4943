import { useLingui } from '@lingui/react/macro';
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { isErrorCode } from '#server/error-codes.ts';
import { wordError } from '../../i18n/errors/word-error.ts';

/** Why a sign-in failed, by the code that it came back with. */
export default function SignInFailure({ code }: { code: string }) {
  const { i18n, t } = useLingui();
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
      {isErrorCode(code) ? wordError({ code, params: {} }, i18n) : t`Authentication check failed`}
    </Alert>
  );
}
