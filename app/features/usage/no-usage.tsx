import { Trans } from '@lingui/react/macro';
import { Card } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { ButtonLink } from '../../components/links.tsx';
import { EmptyState } from '../../components/lists/empty-state.tsx';
import { AllUsageLink } from './all-usage-link.tsx';

/**
 * A range without traffic: what would be shown, and how to get there. `isOfOne` means that the address is
 * about one site or endpoint.
 */
export function NoUsage({ organizationId, isOfOne = false }: { organizationId: string; isOfOne?: boolean }) {
  return (
    <Card padding={0}>
      <EmptyState
        icon={IconChartBar}
        title={<Trans>No traffic in this period</Trans>}
        action={
          isOfOne ? (
            <AllUsageLink organizationId={organizationId} />
          ) : (
            <ButtonLink to="/$orgId/sites" params={{ orgId: organizationId }} variant="default">
              <Trans>Go to sites</Trans>
            </ButtonLink>
          )
        }
      >
        {isOfOne ? (
          <Trans>It served nothing in this period. Choose another period, or view everything.</Trans>
        ) : (
          <Trans>
            The traffic of your endpoints and sites appears here within seconds. Deploy a site and visit it to
            see the first requests.
          </Trans>
        )}
      </EmptyState>
    </Card>
  );
}
