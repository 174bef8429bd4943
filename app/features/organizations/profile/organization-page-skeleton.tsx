import { Trans } from '@lingui/react/macro';
import { Card, Group, Skeleton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { VisitorFrame } from '../../frame/visitor-frame.tsx';

const route = getRouteApi('/identity/organizations/$handle');

/** The layout of an organization's page while it is loading. */
export function OrganizationPageSkeleton() {
  const { visitor } = route.useRouteContext();
  return (
    <VisitorFrame visitor={visitor ?? null}>
      <div role="status" aria-busy>
        <h1 className="visually-hidden">
          <Trans>Loading</Trans>
        </h1>
        <Group gap="lg" align="flex-start" wrap="nowrap">
          <Skeleton height={72} width={72} radius="lg" />
          <div style={{ flex: 1 }}>
            <Skeleton height={28} width="40%" />
            <Skeleton height={16} width="20%" mt="xs" />
            <Skeleton height={16} width="70%" mt="md" />
          </div>
        </Group>
        <Card mt={72}>
          <Skeleton height={22} width={120} />
          <Skeleton height={36} mt="md" />
          <Skeleton height={36} mt="md" />
        </Card>
      </div>
    </VisitorFrame>
  );
}
