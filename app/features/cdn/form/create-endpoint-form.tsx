import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { readClaimedHostname } from '#server/services/cdn/hostname-rules.ts';
import { HOSTNAME_TYPED_MAX } from '#server/services/cdn/rules.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { useSettings } from '../../../use-settings.ts';
import { useProofWatch } from '../endpoint/use-proof-watch.ts';
import { HostnameProof } from './hostname-proof.tsx';
import { OriginFields } from './origin-fields.tsx';
import { useCreateEndpoint } from './use-create-endpoint.ts';
import { isOfField, useEndpointFields } from './use-endpoint-fields.ts';

/** Asks for a hostname and its origin, creates the endpoint and opens its page, which shows its records. */
export function CreateEndpointForm(props: { initialSiteId: string | undefined; onCancel: () => void }) {
  const { t } = useLingui();
  const { isAuthorityLocal } = useSettings();
  const describe = useErrorMessage();
  const fields = useEndpointFields({
    hostname: '',
    origin: 'site',
    siteId: props.initialSiteId ?? null,
    redirectTarget: '',
  });
  const { typed, errors, form, check, refuse } = fields;
  const watch = useProofWatch({ onRefused: refuse });
  const { create, isPending, error } = useCreateEndpoint({
    onRefused(refusal) {
      refuse(refusal);
      watch.begin(typed, refusal);
    },
  });
  const change: typeof fields.change = (changes) => {
    watch.end();
    fields.change(changes);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending && check(['hostname', typed.origin === 'site' ? 'site_id' : 'redirect_target'])) {
      create(typed);
    }
  };
  const { hostname } = readClaimedHostname(typed.hostname);
  const failure = watch.failure ?? error;
  const message = failure === null ? '' : describe(failure);
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="md">
        <div>
          <TextInput
            label={t`Hostname`}
            description={
              isAuthorityLocal
                ? t`A hostname you own, such as www.example.ca. Names that end in .localhost work on this computer without DNS.`
                : t`A hostname you own, such as www.example.ca.`
            }
            value={typed.hostname}
            onChange={(event) => change({ hostname: event.currentTarget.value })}
            error={errors.hostname ?? null}
            maxLength={HOSTNAME_TYPED_MAX}
            required
            autoComplete="off"
            autoCapitalize="none"
            inputMode="url"
            spellCheck={false}
            data-autofocus
          />
          <Text size="sm" c="dimmed" mt={6} aria-live="polite" style={{ overflowWrap: 'anywhere' }}>
            {hostname !== null && hostname !== typed.hostname.trim() && (
              <Trans>
                The hostname is <strong>{hostname}</strong>
              </Trans>
            )}
          </Text>
        </div>
        <HostnameProof watch={watch} />
        <OriginFields {...fields} change={change} />
        {failure !== null && !isOfField(failure) && (
          <ErrorNotice>
            <Trans>Error: {message}</Trans>
          </ErrorNotice>
        )}
        <DialogActions submit={<Trans>Add endpoint</Trans>} onCancel={props.onCancel} isPending={isPending} />
      </Stack>
    </form>
  );
}
