import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { Bundle, DnsReport } from '#server/services/certificates/schema.ts';
import { CertificateActionButton } from './certificate-action-button.tsx';
import { IssueProblem } from './issue-problem.tsx';
import { IssueSteps } from './issue-steps.tsx';
import { RecordTable } from './record-table.tsx';
import type { CertificateActions } from './use-certificate-actions.ts';

/** The challenge record is awaited: which one to set, and the action that validates it and issues. */
export function PendingCertificate(props: {
  bundle: Bundle;
  report: DnsReport | undefined;
  actions: CertificateActions;
}) {
  const { t } = useLingui();
  const { bundle, report, actions } = props;
  if (bundle.step !== null) return <IssueSteps step={bundle.step} />;
  const record = { name: bundle.challenge_name, type: 'CNAME', value: bundle.challenge_target };
  // While the record is awaited, its absence is not a failure.
  const hasProblem = bundle.problem !== null && bundle.problem.code !== 'challenge_missing';
  return (
    <>
      <Text size="sm">
        <Trans>
          Add this CNAME record at your DNS provider. It proves that the hostname is yours; leave it in place
          for renewals. Traffic is not affected: the certificate can be ready before you switch.
        </Trans>
      </Text>
      <RecordTable
        records={[record]}
        registeredDomain={bundle.registered_domain}
        label={t`CNAME record of the challenge`}
      />
      {hasProblem && (
        <IssueProblem
          bundle={bundle}
          color="yellow"
          title={<Trans>The last attempt did not succeed</Trans>}
        />
      )}
      <CertificateActionButton action="validate" actions={actions}>
        <Trans>Validate and issue</Trans>
      </CertificateActionButton>
      <Text size="xs" c="dimmed">
        {report?.is_delegated ? (
          <Trans>The record was found. The certificate will be issued automatically.</Trans>
        ) : (
          <Trans>
            You can also leave the page: we keep checking for the record and issue the certificate
            automatically.
          </Trans>
        )}
      </Text>
    </>
  );
}
