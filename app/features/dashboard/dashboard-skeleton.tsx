import { Trans } from '@lingui/react/macro';
import { Card, Group, Skeleton, Stack } from '@mantine/core';
import { MonthUsageCardSkeleton } from '../usage/month/month-usage-skeleton.tsx';
import { DASHBOARD_FIGURES } from './dashboard-figures.ts';
import classes from './quick-actions.module.css';

/** The layout of the dashboard while it is loading. */
export function DashboardSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-busy>
      <h1 className="visually-hidden">
        <Trans>Loading</Trans>
      </h1>
      <Stack gap={7}>
        <Skeleton height={32} width={260} maw="80%" />
        <Skeleton height={18} width={320} maw="100%" />
      </Stack>
      <div className={classes.pair}>
        {['sites', 'cdn'].map((key) => (
          <Card key={key}>
            <Group wrap="nowrap" gap="md">
              <Skeleton height={36} width={36} />
              <Stack gap={8} flex={1}>
                <Skeleton height={20} width="30%" />
                <Skeleton height={17} width="80%" />
              </Stack>
            </Group>
          </Card>
        ))}
      </div>
      <MonthUsageCardSkeleton figures={DASHBOARD_FIGURES} hasMostUsed />
      <Card>
        <Skeleton height={22} width={180} mb="md" />
        <Stack gap="md">
          <Skeleton height={16} />
          <Skeleton height={16} />
          <Skeleton height={16} />
        </Stack>
      </Card>
    </Stack>
  );
}
