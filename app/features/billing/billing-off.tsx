import { Trans } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import { IconReceiptOff } from '@tabler/icons-react';

/** Says that nothing is billed on this installation. */
export function BillingOff() {
  return (
    <Alert color="gray" icon={<IconReceiptOff size={18} aria-hidden />} title={<Trans>Billing is off</Trans>}>
      <Text size="sm">
        <Trans>
          Nothing is billed on this installation: no card is needed, and there are no invoices. What you use
          is counted and shown below.
        </Trans>
      </Text>
    </Alert>
  );
}
