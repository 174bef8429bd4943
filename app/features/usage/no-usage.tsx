import { Trans } from '@lingui/react/macro';
import { Card } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/links.tsx';

/** A range in which nothing was served: what would be here, and how it comes here. */
export function NoUsage({ organizationId }: { organizationId: string }) {
  return (
    <Card padding={0}>
      <EmptyState
        icon={IconChartBar}
        title={<Trans>No traffic in this period</Trans>}
        action={
          <ButtonLink to="/$orgId/sites" params={{ orgId: organizationId }} variant="default">
            <Trans>Go to sites</Trans>
          </ButtonLink>
        }
      >
        <Trans>
          What each of your endpoints and sites serves is counted here, seconds after it is served. Deploy a
          site and visit it to see the first requests.
        </Trans>
      </EmptyState>
    </Card>
  );
}
