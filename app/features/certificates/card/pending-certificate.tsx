import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { Bundle, DnsReport } from '#server/services/certificates/schema.ts';
import { CertificateActionButton } from './certificate-action-button.tsx';
import { IssueProblem } from './issue-problem.tsx';
import { IssueSteps } from './issue-steps.tsx';
import type { CertificateActions } from './use-certificate-actions.ts';

/** The challenge record is awaited: what to do, and the action that looks for it and issues. */
export function PendingCertificate(props: {
  bundle: Bundle;
  report: DnsReport | undefined;
  actions: CertificateActions;
}) {
  const { bundle, report, actions } = props;
  if (bundle.step !== null) return <IssueSteps step={bundle.step} />;
  // While the record is awaited, that it is not there is no failure.
  const hasProblem = bundle.problem !== null && bundle.problem.code !== 'challenge_missing';
  return (
    <>
      <Text size="sm">
        <Trans>
          Add the CNAME record of the challenge, shown below under DNS records, at your DNS provider. It
          proves that the hostname is yours; leave it in place for renewals. Traffic is not affected: the
          certificate can be ready before you switch.
        </Trans>
      </Text>
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
