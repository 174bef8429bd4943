import { Stack } from '@mantine/core';
import type { z } from 'zod';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { useAccountForm } from '../accounts/use-account-form.ts';
import type { SchemaOf } from '../identity-schemas.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { ShowOwnerFields } from './show-owner-fields.tsx';

/** The password and a code, for a change of two-step sign-in. */
export function SecondFactorForm(props: {
  submit: string;
  isDestructive?: boolean;
  send: (input: z.output<SchemaOf<'changeSecondFactorInput'>>) => Promise<void>;
  onCancel: () => void;
}) {
  const focus = useFocusOnArrival<HTMLInputElement>();
  const form = useAccountForm({ schema: 'changeSecondFactorInput', send: props.send });
  return (
    <form {...form.formProps} aria-label={props.submit}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <ShowOwnerFields ref={focus} isCodeNeeded errors={form.errors} />
        <FormActions
          submit={props.submit}
          isDestructive={props.isDestructive ?? false}
          isPending={form.isPending}
          onCancel={props.onCancel}
        />
      </Stack>
    </form>
  );
}
