import { useLingui } from '@lingui/react/macro';
import { Skeleton, Stack } from '@mantine/core';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import { UsageTableSkeleton } from '../table/usage-table.tsx';
import { UsageTilesSkeleton } from '../usage-tiles.tsx';
import classes from './usage-page.module.css';
import { UsagePageHeader } from './usage-page-header.tsx';

/** The usage page before its data. */
export function UsagePageSkeleton() {
  const { organization } = useHomeOrganization();
  return (
    <>
      <UsagePageHeader organizationId={organization.id} action={<Skeleton height={36} width={156} />} />
      <div className={classes.toolbar}>
        <Skeleton height={36} maw={256} />
        <Skeleton height={36} maw={420} />
      </div>
      <UsageFiguresSkeleton />
    </>
  );
}

/** What follows the toolbar, before its data. */
export function UsageFiguresSkeleton() {
  const { t } = useLingui();
  return (
    <Stack gap="lg" aria-busy aria-label={t`Loading`} role="status">
      <UsageTilesSkeleton count={4} />
      <Skeleton className={classes.chartSkeleton} />
      <div className={classes.pair}>
        <Skeleton className={classes.chartSkeleton} />
        <Skeleton className={classes.chartSkeleton} />
      </div>
      <UsageTableSkeleton />
    </Stack>
  );
}
