import { Trans } from '@lingui/react/macro';
import { Card } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { AllUsageLink } from '../all-usage-link.tsx';

/** An address with a filter for what this organization never had. */
export function UnknownSubject({ organizationId }: { organizationId: string }) {
  return (
    <Card padding={0} role="status">
      <EmptyState
        icon={IconFilterOff}
        title={<Trans>Not part of this organization</Trans>}
        action={<AllUsageLink organizationId={organizationId} />}
      >
        <Trans>This address refers to a site or an endpoint that this organization never had.</Trans>
      </EmptyState>
    </Card>
  );
}
