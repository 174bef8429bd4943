import { Trans, useLingui } from '@lingui/react/macro';
import { SegmentedControl, Text } from '@mantine/core';
import { HSTS_CHOICES, type HstsChoice } from '#server/services/cdn/rules.ts';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { useEndpointParams } from './use-endpoint-params.ts';

/**
 * How long browsers remember to use https only (HSTS). It cannot be revoked, so the longest asks for
 * confirmation.
 */
export function HstsCard({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useLingui();
  const ofEndpoint = useEndpointParams();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const permissionReason = usePermissionReason()('endpoint.update');
  const update = trpc.cdn.update.useMutation({
    onMutate: async ({ hsts }) => {
      await utils.cdn.get.cancel(ofEndpoint);
      const before = utils.cdn.get.getData(ofEndpoint);
      utils.cdn.get.setData(ofEndpoint, (current) => (current && hsts ? { ...current, hsts } : current));
      return { before };
    },
    onError: (error, _, context) => {
      utils.cdn.get.setData(ofEndpoint, context?.before);
      notifyFailure(describe(error));
    },
    onSuccess: (updated) => utils.cdn.get.setData(ofEndpoint, updated),
  });
  const { hostname, hsts } = endpoint;
  const isActive = endpoint.bundle !== null && endpoint.bundle.issued_at !== null;
  const reason =
    permissionReason ?? (isActive || hsts !== 'off' ? null : t`Available once the certificate is active.`);
  const labels: Record<HstsChoice, string> = {
    off: t({ context: 'HSTS', message: 'Off' }),
    day: t({ context: 'HSTS', message: 'One day' }),
    year: t({ context: 'HSTS', message: 'One year' }),
  };
  const choose = async (choice: HstsChoice) => {
    const isSure =
      choice !== 'year' ||
      (await askConfirmation({
        title: t`HTTPS only for a year?`,
        body: (
          <Trans>
            Browsers that have visited <strong>{hostname}</strong> use only https for a year after their last
            visit. During that time, the hostname needs a valid certificate wherever it points: visitors
            cannot bypass the browser’s warning, and this cannot be undone.
          </Trans>
        ),
        confirm: t`Use HTTPS only`,
      }));
    if (isSure) update.mutate({ ...ofEndpoint, hsts: choice });
  };
  return (
    <SectionCard title={<Trans>HTTPS only (HSTS)</Trans>}>
      <SegmentedControl<HstsChoice>
        aria-label={t`How long browsers remember to use https only`}
        fullWidth
        data={HSTS_CHOICES.map((value) => ({ value, label: labels[value] }))}
        value={hsts}
        disabled={reason !== null}
        onChange={(choice) => void choose(choice)}
      />
      <Text size="sm" c="dimmed" mt="sm">
        <HstsWords choice={hsts} />
      </Text>
      {reason && (
        <Text size="xs" c="dimmed" mt="xs">
          {reason}
        </Text>
      )}
    </SectionCard>
  );
}

function HstsWords({ choice }: { choice: HstsChoice }) {
  switch (choice) {
    case 'off':
      return (
        <Trans>
          Once the certificate is active, http redirects to https anyway. With this on, browsers remember it
          and skip even the first plain request.
        </Trans>
      );
    case 'day':
      return (
        <Trans>
          Browsers remember it for a day after each visit. A good first step: a mistake lasts a day at most.
        </Trans>
      );
    case 'year':
      return (
        <Trans>
          Browsers remember it for a year after each visit. Turning it off takes effect only for visitors who
          come back.
        </Trans>
      );
  }
}
