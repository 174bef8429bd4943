import { Trans } from '@lingui/react/macro';
import { Alert, Button } from '@mantine/core';
import { IconWorld } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { EndpointTable } from './endpoint-table.tsx';
import { EndpointsHeader } from './endpoints-header.tsx';
import { EndpointsSkeleton } from './endpoints-skeleton.tsx';

/** The organization's CDN endpoints. */
export function EndpointsPage() {
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const endpoints = trpc.cdn.list.useQuery({ organization_id: organization.id });
  if (endpoints.isPending) return <EndpointsSkeleton />;
  if (endpoints.error) {
    const message = describe(endpoints.error);
    return (
      <>
        <EndpointsHeader />
        <Alert color="red" role="alert">
          <Trans>Error: {message}</Trans>
          <Button
            mt="sm"
            size="xs"
            variant="default"
            display="block"
            onClick={() => void endpoints.refetch()}
          >
            <Trans>Retry</Trans>
          </Button>
        </Alert>
      </>
    );
  }
  return (
    <>
      <EndpointsHeader />
      {endpoints.data.length === 0 ? (
        <EmptyState
          icon={IconWorld}
          title={<Trans>No CDN endpoints yet</Trans>}
          action={
            <ButtonLink to="/$orgId/sites" params={{ orgId: organization.id }} variant="default">
              <Trans>Go to sites</Trans>
            </ButtonLink>
          }
        >
          <Trans>
            Endpoints put your own host names in front of your sites. Adding them is not available yet; until
            then every site is live at its own address.
          </Trans>
        </EmptyState>
      ) : (
        <EndpointTable endpoints={endpoints.data} />
      )}
    </>
  );
}
