import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import type { Passkey } from '#server/services/identity/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import { useAccountForm } from '../accounts/use-account-form.ts';
import { ShowOwnerFields } from '../second-factor/show-owner-fields.tsx';
import { sendToIdentity } from '../send-to-identity.ts';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';

/** Removes a passkey from the account, after checking the password. */
export function RemovePasskeyForm(props: {
  passkey: Passkey;
  isCodeNeeded: boolean;
  onRemoved: () => void;
  onCancel: () => void;
}) {
  const { t } = useLingui();
  const { id, name } = props.passkey;
  const focus = useFocusOnArrival<HTMLInputElement>();
  const form = useAccountForm({
    schema: 'showOwnerInput',
    send: async (shown) => {
      await sendToIdentity<'emptyResultSchema'>('POST', '/profile/passkeys/remove', { ...shown, id });
      props.onRemoved();
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Remove passkey ${name}`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <Text>
          <Trans>
            You will no longer be able to sign in with “{name}”. It stays on the device until you delete it
            there.
          </Trans>
        </Text>
        <ShowOwnerFields ref={focus} isCodeNeeded={props.isCodeNeeded} errors={form.errors} />
        <FormActions
          submit={<Trans>Remove passkey</Trans>}
          isDestructive
          isPending={form.isPending}
          onCancel={props.onCancel}
        />
      </Stack>
    </form>
  );
}
