import { Trans } from '@lingui/react/macro';
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

/** Choosing nothing is allowed, but says so clearly. */
export function NoAccessWarning() {
  return (
    <Alert color="yellow" role="status" icon={<IconAlertTriangle size={18} />}>
      <Trans>No resource is selected: the credential will have no access.</Trans>
    </Alert>
  );
}
