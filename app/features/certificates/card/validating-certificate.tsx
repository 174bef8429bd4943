import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { isLocalName } from '#server/services/certificates/rules.ts';
import type { Bundle, DnsReport } from '#server/services/certificates/schema.ts';
import { CertificateActionButton } from './certificate-action-button.tsx';
import { IssueProblem } from './issue-problem.tsx';
import { IssueSteps } from './issue-steps.tsx';
import type { CertificateActions } from './use-certificate-actions.ts';

/** The challenge record is in place and the certificate is on its way, automatically or by the action. */
export function ValidatingCertificate(props: {
  bundle: Bundle;
  report: DnsReport | undefined;
  actions: CertificateActions;
}) {
  const { bundle, report, actions } = props;
  if (bundle.step !== null) return <IssueSteps step={bundle.step} />;
  return (
    <>
      {bundle.problem ? (
        <IssueProblem
          bundle={bundle}
          color="yellow"
          title={<Trans>The last attempt did not succeed</Trans>}
        />
      ) : (
        <Text size="sm">
          {isLocalName(bundle.domain_name) ? (
            <Trans>
              No proof is needed on this computer. The certificate will be issued automatically in a moment.
            </Trans>
          ) : report?.can_issue === false ? (
            <Trans>
              The challenge record is in place. The certificate will be issued automatically when the problem
              below, under DNS records, is solved.
            </Trans>
          ) : (
            <Trans>
              The challenge record is in place. The certificate will be issued automatically in a moment.
            </Trans>
          )}
        </Text>
      )}
      <CertificateActionButton action="issue" actions={actions}>
        <Trans>Issue certificate</Trans>
      </CertificateActionButton>
    </>
  );
}
