import { Trans } from '@lingui/react/macro';
import { Card, Group, Skeleton } from '@mantine/core';
import { EndpointsHeader } from './endpoints-header.tsx';

/** The layout of the endpoints table while it is on its way. */
export function EndpointsSkeleton() {
  return (
    <>
      <EndpointsHeader />
      <Card padding={0} role="status" aria-busy>
        <span className="visually-hidden">
          <Trans>Loading</Trans>
        </span>
        {['head', 'first', 'second', 'third'].map((key) => (
          <Group key={key} px="lg" py="sm" h={48} justify="space-between" wrap="nowrap">
            <Skeleton height={16} width="35%" />
            <Skeleton height={16} width="20%" />
            <Skeleton height={16} width="12%" />
          </Group>
        ))}
      </Card>
    </>
  );
}
