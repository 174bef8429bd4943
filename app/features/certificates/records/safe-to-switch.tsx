import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { DnsFact } from '#server/services/certificates/schema.ts';

/** Says, when the certificate is ready and traffic still goes elsewhere, that the record below may be changed. */
export function SafeToSwitch({ status }: { status: DnsFact['status'] }) {
  return (
    <Text size="sm" mt={6}>
      {status === 'missing' ? (
        <Trans>
          The certificate is ready, but the hostname does not point anywhere yet. Add this record whenever you
          like: visitors use https from the start.
        </Trans>
      ) : (
        <Trans>
          The certificate is ready, but visitors still go elsewhere. Change this record whenever you like:
          they switch over without interruption.
        </Trans>
      )}
    </Text>
  );
}
