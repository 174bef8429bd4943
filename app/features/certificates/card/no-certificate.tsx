import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { CertificateActionButton } from './certificate-action-button.tsx';
import type { CertificateActions } from './use-certificate-actions.ts';

/** No certificate was requested: endpoints of an earlier release have none. */
export function NoCertificate({ actions }: { actions: CertificateActions }) {
  return (
    <>
      <Text size="sm">
        <Trans>
          This hostname has no certificate: it cannot be reached over https. A certificate is issued and
          renewed free of charge once a DNS record proves that the hostname is yours.
        </Trans>
      </Text>
      <CertificateActionButton action="request" actions={actions}>
        <Trans>Request a certificate</Trans>
      </CertificateActionButton>
    </>
  );
}
