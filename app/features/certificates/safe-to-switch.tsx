import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { DnsFact } from '#server/services/certificates/schema.ts';

/** Says, when the certificate is ready and traffic still goes elsewhere, that the record below may be changed. */
export function SafeToSwitch({ status }: { status: DnsFact['status'] }) {
  return (
    <Text size="sm" mt={6}>
      {status === 'missing' ? (
        <Trans>
          The certificate is ready and the hostname leads nowhere yet. Add this one record whenever you like:
          visitors reach you here over https from the start.
        </Trans>
      ) : (
        <Trans>
          The certificate is ready and visitors still go elsewhere. Change this one record whenever you like:
          they reach you here without interruption.
        </Trans>
      )}
    </Text>
  );
}
