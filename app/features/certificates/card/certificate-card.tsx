import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { certificateState, isChallengeAwaited } from '#server/services/certificates/rules.ts';
import type { DnsReport } from '#server/services/certificates/schema.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { CertificateStateBadge } from '../badges/certificate-state-badge.tsx';
import { ActiveCertificate } from './active-certificate.tsx';
import { NoCertificate } from './no-certificate.tsx';
import { OutcomeBanner } from './outcome-banner.tsx';
import { PendingCertificate } from './pending-certificate.tsx';
import type { CertificateActions } from './use-certificate-actions.ts';
import { ValidatingCertificate } from './validating-certificate.tsx';

/** The TLS certificate of an endpoint in its four states, with the action that leads to the next one. */
export function CertificateCard(props: {
  endpoint: Endpoint;
  report: DnsReport | undefined;
  actions: CertificateActions;
  now: number;
}) {
  const { endpoint, report, actions, now } = props;
  const { bundle } = endpoint;
  const state = certificateState(bundle);
  return (
    <SectionCard
      title={<Trans>TLS certificate</Trans>}
      action={
        <span role="status">
          <CertificateStateBadge bundle={bundle} now={now} />
        </span>
      }
    >
      <Stack gap="md">
        {actions.outcome && <OutcomeBanner outcome={actions.outcome} onDismiss={actions.dismiss} />}
        {bundle === null && <NoCertificate actions={actions} />}
        {bundle !== null && isChallengeAwaited(bundle) && (
          <PendingCertificate bundle={bundle} report={report} actions={actions} />
        )}
        {bundle !== null && state === 'validating' && !isChallengeAwaited(bundle) && (
          <ValidatingCertificate bundle={bundle} report={report} actions={actions} />
        )}
        {bundle !== null && state === 'active' && (
          <ActiveCertificate bundle={bundle} actions={actions} now={now} />
        )}
      </Stack>
    </SectionCard>
  );
}
