import { Skeleton } from '@mantine/core';
import classes from './usage-chart.module.css';

/** A chart before its data, with the final height. */
export function UsageChartSkeleton() {
  return (
    <div>
      <Skeleton height={12} width={280} maw="80%" mt={5} mb={17} />
      <Skeleton className={classes.canvas} />
      <Skeleton height={12} width={96} mt={16} mb={8} />
    </div>
  );
}
