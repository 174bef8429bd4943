import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { z } from 'zod';
import { changeSecondFactorInput } from '#server/services/identity/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { CurrentPasswordField } from './current-password-field.tsx';
import { useAccountForm } from './use-account-form.ts';
import { useFocusOnArrival } from './use-focus-on-arrival.ts';

/** The password and a code, for a change of two-step sign-in. */
export function SecondFactorForm(props: {
  submit: string;
  isDestructive?: boolean;
  send: (input: z.output<typeof changeSecondFactorInput>) => Promise<void>;
  onCancel: () => void;
}) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const form = useAccountForm({ schema: changeSecondFactorInput, send: props.send });
  return (
    <form {...form.formProps} aria-label={props.submit}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <CurrentPasswordField ref={focus} error={form.errors.current_password} />
        <TextInput
          name="code"
          label={t`Code`}
          description={t`The six digits that your authenticator app shows, or one of your recovery codes.`}
          autoComplete="one-time-code"
          error={form.errors.code}
        />
        <Group gap="sm">
          <Button type="submit" color={props.isDestructive ? 'red' : undefined} loading={form.isPending}>
            {props.submit}
          </Button>
          <Button variant="default" onClick={props.onCancel}>
            <Trans>Cancel</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
