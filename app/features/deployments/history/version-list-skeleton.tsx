import { Group, Skeleton } from '@mantine/core';
import classes from './version-list.module.css';

/** The history before its versions. */
export function VersionListSkeleton() {
  return (
    <>
      <div className={classes.head}>
        <Skeleton height={20} width={160} />
      </div>
      {[220, 160, 190].map((width) => (
        <div key={width} className={classes.row}>
          <Group gap="sm" mb={8}>
            <Skeleton height={14} width={28} />
            <Skeleton height={14} width={width} maw="60%" />
          </Group>
          <Skeleton height={12} width={width + 90} maw="80%" />
        </div>
      ))}
    </>
  );
}
