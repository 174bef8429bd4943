import { Trans } from '@lingui/react/macro';
import { Card, Group, Skeleton, Stack } from '@mantine/core';
import { VersionListSkeleton } from '../../deployments/history/version-list-skeleton.tsx';
import { MonthUsageCardSkeleton } from '../../usage/month/month-usage-skeleton.tsx';
import classes from './site-page.module.css';
import { SITE_FIGURES } from './site-usage-figures.ts';

/** A site's page before its data, with the final layout. */
export function SitePageSkeleton() {
  return (
    <div role="status" aria-busy>
      <h1 className="visually-hidden">
        <Trans>Loading</Trans>
      </h1>
      <Skeleton height={14} width={120} mb="sm" />
      <Group justify="space-between" mb="lg">
        <Skeleton height={30} width={280} maw="60%" />
        <Skeleton height={36} width={180} maw="35%" />
      </Group>
      <Skeleton height={88} radius="lg" mb="lg" />
      <div className={classes.columns}>
        <Stack gap="lg">
          <Card>
            <Skeleton height={20} width={90} mb="lg" />
            {[150, 110, 180].map((width) => (
              <Skeleton key={width} height={14} width={width} my={10} />
            ))}
          </Card>
          <MonthUsageCardSkeleton figures={SITE_FIGURES} hasMostUsed={false} />
          <Card>
            <Skeleton height={20} width={130} mb="lg" />
            <Skeleton height={14} width={200} />
          </Card>
        </Stack>
        <Card className={classes.history} padding={0}>
          <VersionListSkeleton />
        </Card>
      </div>
    </div>
  );
}
