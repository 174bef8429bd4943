import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, TextInput } from '@mantine/core';
import type { Passkey } from '#server/services/identity/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { useAccountForm } from '../accounts/use-account-form.ts';
import { ShowOwnerFields } from '../second-factor/show-owner-fields.tsx';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';
import { makePasskey } from './ask-authenticator.ts';

/** Names a passkey, and has the browser create it once the password is correct. */
export function AddPasskeyForm(props: {
  isCodeNeeded: boolean;
  onAdded: (passkey: Passkey) => void;
  onCancel: () => void;
}) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const form = useAccountForm({
    schema: 'namePasskeyInput',
    send: async ({ name, ...shown }) => {
      const path = '/profile/passkeys';
      const { options } = await sendToIdentity<'passkeyOptionsSchema'>('POST', `${path}/begin`, shown);
      const response = await makePasskey(options);
      if (response)
        props.onAdded(
          await sendToIdentity<'passkeySchema'>('POST', `${path}/add`, { name, answer: response }),
        );
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Add a passkey`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <TextInput
          ref={focus}
          name="name"
          label={t`Name`}
          description={t`A name to recognize it by, such as the device that stores it.`}
          maxLength={60}
          autoComplete="off"
          error={form.errors.name}
        />
        <ShowOwnerFields isCodeNeeded={props.isCodeNeeded} errors={form.errors} />
        <FormActions submit={<Trans>Continue</Trans>} isPending={form.isPending} onCancel={props.onCancel} />
      </Stack>
    </form>
  );
}
