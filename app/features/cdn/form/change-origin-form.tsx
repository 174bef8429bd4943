import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useEndpointParams } from '../endpoint/use-endpoint-params.ts';
import { OriginFields } from './origin-fields.tsx';
import { isOfField, useEndpointFields } from './use-endpoint-fields.ts';

/** Asks for the new origin of an endpoint; visitors see it within a second. */
export default function ChangeOriginForm({ endpoint, onDone }: { endpoint: Endpoint; onDone: () => void }) {
  const { t } = useLingui();
  const ofEndpoint = useEndpointParams();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const { hostname } = endpoint;
  const fields = useEndpointFields({
    hostname,
    origin: endpoint.origin_type === 'redirect' ? 'redirect' : 'site',
    siteId: endpoint.site_id,
    redirectTarget: endpoint.redirect_target ?? '',
  });
  const { typed, form, check, refuse } = fields;
  const { mutate, isPending, error } = trpc.cdn.update.useMutation({
    onSuccess: (updated) => {
      utils.cdn.get.setData(ofEndpoint, updated);
      void utils.cdn.page.invalidate();
      // Sites show the number of their endpoints.
      void utils.sites.invalidate();
      notifySuccess(t`The origin of ${hostname} was changed`);
      onDone();
    },
    onError: refuse,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { origin, siteId, redirectTarget } = typed;
    if (isPending || !check([origin === 'site' ? 'site_id' : 'redirect_target'])) return;
    mutate({
      ...ofEndpoint,
      origin_type: origin,
      ...(origin === 'site' ? { site_id: siteId } : { redirect_target: redirectTarget }),
    });
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="md">
        <OriginFields {...fields} />
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <Trans>
            Visitors to {hostname} get the new origin within a second. DNS and the certificate stay as they
            are.
          </Trans>
        </Text>
        {error && !isOfField(error) && <ErrorNotice>{describe(error)}</ErrorNotice>}
        <DialogActions submit={<Trans>Change origin</Trans>} onCancel={onDone} isPending={isPending} />
      </Stack>
    </form>
  );
}
